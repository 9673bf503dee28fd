// The size of a picture or a video that the user has chosen, so that its place in the log has the right shape.

const TIMEOUT_MS = 4000;

export interface Size {
  width: number;
  height: number;
}

/** Null if the browser cannot show it. */
export async function measure(content: Blob): Promise<Size | null> {
  const url = URL.createObjectURL(content);
  const timeout = new Promise<null>((done) => setTimeout(() => done(null), TIMEOUT_MS));
  try {
    return await Promise.race([content.type.startsWith("video/") ? video(url) : picture(url), timeout]);
  } finally {
    URL.revokeObjectURL(url);
  }
}

function picture(url: string): Promise<Size | null> {
  return new Promise((done) => {
    const image = new Image();
    image.onload = () => done({ width: image.naturalWidth, height: image.naturalHeight });
    image.onerror = () => done(null);
    image.src = url;
  });
}

function video(url: string): Promise<Size | null> {
  return new Promise((done) => {
    const element = document.createElement("video");
    element.preload = "metadata";
    element.onloadedmetadata = () => done({ width: element.videoWidth, height: element.videoHeight });
    element.onerror = () => done(null);
    element.src = url;
  });
}
