// swift-tools-version: 6.2
import PackageDescription

// One target per layer; an import may only point down. docs/architecture.md draws the layers, `make check` enforces them.
let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    // Generic state machines are used one layer above the one that declares them: without this they are not specialised,
    // and every chunk of data pays for run-time metadata.
    .unsafeFlags(["-cross-module-optimization"], .when(configuration: .release)),
]

// SKYFS_FUZZ=1 builds everything with coverage and address checks for the libFuzzer targets under Fuzz/.
let isFuzzing = Context.environment["SKYFS_FUZZ"] == "1"
let swift = isFuzzing ? settings + [.unsafeFlags(["-sanitize=fuzzer,address"])] : settings

let package = Package(
    name: "skyfs",
    products: [
        .executable(name: "skyfs", targets: ["skyfs"]),
        .executable(name: "skyfs-demo-server", targets: ["skyfs-demo-server"]),
    ],
    targets: [
        // C libraries of the system, each imported by exactly one Swift target.
        .systemLibrary(name: "CFuse", pkgConfig: "fuse3"),
        .systemLibrary(name: "CCurl", pkgConfig: "libcurl"),
        .systemLibrary(name: "CXML", pkgConfig: "libxml-2.0"),
        .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3"),
        .systemLibrary(name: "CCrypto", pkgConfig: "libcrypto"),
        .systemLibrary(name: "CSystem"),

        // L0
        .target(name: "Platform", dependencies: ["CSystem"], swiftSettings: swift),
        // L1
        .target(name: "Fuse", dependencies: ["Platform", "CFuse"], swiftSettings: swift),
        .target(name: "HTTP", dependencies: ["Platform", "CCurl"], swiftSettings: swift),
        .target(name: "XML", dependencies: ["CXML"], swiftSettings: swift),
        // L2
        .target(name: "Segments", dependencies: ["Platform"], swiftSettings: swift),
        .target(name: "Uploads", dependencies: ["Platform"], swiftSettings: swift),
        .target(name: "Flights", dependencies: ["Platform", "HTTP", "XML"], swiftSettings: swift),
        .target(name: "Listings", dependencies: ["Platform", "HTTP", "XML", "CXML"], swiftSettings: swift),
        .target(name: "Store", dependencies: ["Platform", "CSQLite", "CCrypto"], swiftSettings: swift),
        // L3
        .target(
            name: "Filesystem",
            dependencies: ["Platform", "Fuse", "HTTP", "Segments", "Listings", "Flights", "Store", "Uploads"],
            swiftSettings: swift),
        // L4
        .executableTarget(
            name: "skyfs", dependencies: ["Platform", "Fuse", "HTTP", "Flights", "Listings", "Uploads", "Filesystem"],
            swiftSettings: swift),

        // A server that plays exact bytes; for tests and the demo, never linked into skyfs.
        .target(name: "LoopbackServer", dependencies: ["Platform"], swiftSettings: swift),
        .executableTarget(
            name: "skyfs-demo-server", dependencies: ["LoopbackServer", "Platform"], swiftSettings: swift),

        // Compares the reader of Flights with libxml2 alone; run by `make bench`.
        .executableTarget(
            name: "FlightsBench", dependencies: ["Flights", "Platform", "CXML"], path: "Benchmarks/FlightsBench",
            swiftSettings: swift),

        // Random numbers of tests that repeat for a seed.
        .target(name: "SeededRandom", path: "Tests/SeededRandom", swiftSettings: swift),
        .testTarget(name: "PlatformTests", dependencies: ["Platform"], swiftSettings: swift),
        .testTarget(
            name: "FilesystemTests",
            dependencies: [
                "Filesystem", "Flights", "HTTP", "LoopbackServer", "MountHarness", "Platform", "Store", "Uploads",
            ],
            swiftSettings: swift),
        .testTarget(
            name: "HTTPTests", dependencies: ["HTTP", "LoopbackServer", "Platform", "SeededRandom"],
            swiftSettings: swift),
        .testTarget(
            name: "SegmentsTests", dependencies: ["Segments", "Platform", "SeededRandom"], swiftSettings: swift),
        .testTarget(name: "UploadsTests", dependencies: ["Uploads", "Platform", "SeededRandom"], swiftSettings: swift),
        .testTarget(
            name: "FlightsTests", dependencies: ["Flights", "Platform"], exclude: ["Documents"], swiftSettings: swift),
        .testTarget(name: "XMLTests", dependencies: ["XML"], swiftSettings: swift),
        .testTarget(
            name: "ListingsTests", dependencies: ["Listings", "HTTP", "XML", "Platform", "SeededRandom"],
            exclude: ["Pages"],
            swiftSettings: swift),
        .testTarget(name: "StoreTests", dependencies: ["Store", "Platform", "SeededRandom"], swiftSettings: swift),
        .testTarget(
            name: "LoopbackServerTests", dependencies: ["Flights", "LoopbackServer", "Platform", "skyfs-demo-server"],
            swiftSettings: swift),
        .testTarget(
            name: "CommandLineTests",
            dependencies: [
                "skyfs", "skyfs-demo-server", "Filesystem", "HTTP", "LoopbackServer", "MountHarness", "Platform",
            ],
            swiftSettings: swift),
        .testTarget(name: "FuseTests", dependencies: ["Platform", "Fuse"], swiftSettings: swift),

        // The built program on real mounts: against faults played byte by byte, and against servers of Debian.
        .target(
            name: "MountHarness", dependencies: ["LoopbackServer", "Platform"], path: "Tests/MountHarness",
            swiftSettings: swift),
        .testTarget(
            name: "MountTests", dependencies: ["LoopbackServer", "MountHarness", "Platform", "skyfs", "SeededRandom"],
            swiftSettings: swift),
        .testTarget(
            name: "InteropTests", dependencies: ["MountHarness", "Platform", "skyfs"], swiftSettings: swift),
    ]
)

if isFuzzing {
    package.targets.append(
        .target(
            name: "FuzzDriver", dependencies: ["Listings", "Platform"], path: "Fuzz/FuzzDriver", swiftSettings: swift))
    let listings: [Target.Dependency] = ["FuzzDriver", "Listings", "HTTP"]
    let fuzzers: KeyValuePairs<String, [Target.Dependency]> = [
        "ListingFuzz": listings, "JSONListingFuzz": listings, "XMLListingFuzz": listings, "ManifestFuzz": listings,
        "AWSProfileFuzz": listings, "FlightsFuzz": ["Flights", "Platform"],
    ]
    for (name, dependencies) in fuzzers {
        package.targets.append(
            .executableTarget(
                name: name, dependencies: dependencies, path: "Fuzz/\(name)",
                swiftSettings: swift + [.unsafeFlags(["-parse-as-library"])],
                linkerSettings: [.unsafeFlags(["-sanitize=fuzzer,address"])]))
    }
}
