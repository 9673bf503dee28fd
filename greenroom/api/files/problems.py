"""Maps the problems of files to HTTP statuses and titles."""

from greenroom.api.files import tus_headers as tus
from greenroom.api.problem_table import ProblemResponse, Problems
from greenroom.blobs import base as blobs
from greenroom.files import check_problems as checks, problems as files

PROBLEMS = Problems(
    responses={
        # not there, or not visible to the caller
        files.FileNotFound: ProblemResponse(404),
        files.ManifestNotFound: ProblemResponse(404),
        # invalid input
        files.InvalidFile: ProblemResponse(422),
        files.FileTooLarge: ProblemResponse(413),
        files.SizeExceeded: ProblemResponse(413),
        tus.InvalidTusHeader: ProblemResponse(400),
        tus.TusVersionNotSupported: ProblemResponse(412),
        tus.WrongContentType: ProblemResponse(415),
        files.NothingToAppeal: ProblemResponse(422),
        # found by the check of a file; over REST they are in the file and not in a response
        checks.BytesMissing: ProblemResponse(422),
        checks.ChecksumMismatch: ProblemResponse(422),
        checks.VirusFound: ProblemResponse(422),
        checks.NotScannable: ProblemResponse(422),
        checks.TooManyPixels: ProblemResponse(422),
        checks.PictureTooComplex: ProblemResponse(422),
        checks.LocationNotRemovable: ProblemResponse(422),
        checks.MetadataNotRemovable: ProblemResponse(422),
        checks.CheckFailed: ProblemResponse(422),
        # not in this state
        files.QuotaExceeded: ProblemResponse(409),
        files.FileInUse: ProblemResponse(409),
        files.FileNotReady: ProblemResponse(409),
        files.UploadFinished: ProblemResponse(409),
        files.UploadConflict: ProblemResponse(409),
        files.UploadIncomplete: ProblemResponse(409),
        files.UploadInParts: ProblemResponse(409),
        files.UploadCutOff: ProblemResponse(400),
        files.ChunkDamaged: ProblemResponse(460),
        files.AlreadyAppealed: ProblemResponse(409),
        files.LinkExpired: ProblemResponse(403),
        blobs.AppendConflict: ProblemResponse(409),
        blobs.InvalidParts: ProblemResponse(409),
        blobs.UploadNotFound: ProblemResponse(404),
        blobs.WrongSize: ProblemResponse(422),
        # for a while
        files.TooManyUploads: ProblemResponse(429, retry_after=5),
        blobs.BlobsFailing: ProblemResponse(503, retry_after=5),
        blobs.BlobsRefused: ProblemResponse(503, retry_after=60, exposed=False),
        blobs.BucketUnusable: ProblemResponse(503, retry_after=60, exposed=False),
    },
    example_values={
        "announced_bytes": 3_482_113,
        "too-many-uploads.most": 16,
        "header": "Upload-Offset",
        "tus-version-not-supported.version": "1.0.0",
        "wrong-content-type.content_type": "application/offset+octet-stream",
        "arrived_bytes": 3_481_600,
        "megapixels": 900,
        "most_megapixels": 90,
        "signature": "Win.Test.EICAR_HDB-1",
        "invalid-file.field": "sha256",
        "length": 65_536,
        "missing_bytes": 1_024,
        "most_bytes": 1_000_000_000,
        "invalid-file.name": "checksum",
        "offset": 65_536,
        "wrong-size.size": 65_536,
        "quota_bytes": 20_000_000_000,
        "file-not-ready.state": "checking",
        "used_bytes": 19_876_543_210,
    },
    example_reasons={
        "not-scannable": "encrypted files cannot be read",
        "invalid-file": "it must be the SHA-256, as 64 hexadecimal digits",
        "invalid-tus-header": "it must be a number of bytes",
    },
)
