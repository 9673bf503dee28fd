// The worker that hashes one file and then ends.
import { hashInPieces, type FromHashWorker } from "./hash";

declare const self: {
  onmessage: ((event: MessageEvent<Blob>) => void) | null;
  postMessage: (message: FromHashWorker) => void;
};

self.onmessage = ({ data }) => {
  hashInPieces(data, { onprogress: (bytes) => self.postMessage({ bytes }) }).then(
    (hash) => self.postMessage({ hash }),
    (error: unknown) => self.postMessage({ failed: String(error) }),
  );
};
