/// Small pictures made on the spot. Pure.
enum GradientImage {
    /// A square Windows bitmap, 24 bits a pixel.
    /// - Parameters:
    ///   - side: in pixels, a multiple of 4 so that rows need no padding.
    ///   - channel: the colour that grows from left to right: 0 blue, 1 green, 2 red.
    static func bitmap(side: Int, channel: Int) -> [UInt8] {
        let headerSize = 54
        let pixels = side * side * 3
        var bytes: [UInt8] = Array("BM".utf8)
        bytes += little(headerSize + pixels) + little(0) + little(headerSize)
        // BITMAPINFOHEADER: its size, width, height, one plane of 24 bits, no compression.
        bytes += little(40) + little(side) + little(side) + [1, 0, 24, 0] + little(0) + little(pixels)
        bytes += little(2835) + little(2835) + little(0) + little(0)
        for row in 0..<side {
            for column in 0..<side {
                var pixel = [UInt8](repeating: UInt8(row * 127 / side), count: 3)
                pixel[channel] = UInt8(column * 255 / side)
                bytes += pixel
            }
        }
        return bytes
    }

    private static func little(_ number: Int) -> [UInt8] { (0..<4).map { UInt8(number >> ($0 * 8) & 255) } }
}
