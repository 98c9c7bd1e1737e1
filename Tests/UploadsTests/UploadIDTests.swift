import Testing
import Uploads

@Test func uploadsAreOrderedByTheirNumber() {
    #expect(UploadID(rawValue: 2) < UploadID(rawValue: 10))
}
