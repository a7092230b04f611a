// The worker that reads files: in chunks, so that a file of any size needs little memory, and beside
// the page, so that the page never waits. It gets { files: [{ name, file }] } and answers with
// { progress } while it reads and { outcome } at the end.
import init, { Session } from "./inferplan_importer.js";

const CHUNK = 4 * 1024 * 1024;
const ready = init({ module_or_path: new URL("inferplan_importer_bg.wasm", import.meta.url) });

onmessage = async ({ data: { files } }) => {
  try {
    await ready;
    const session = new Session();
    const total = files.reduce((sum, { file }) => sum + file.size, 0);
    let done = 0;
    for (const { name, file } of files) {
      session.begin(name);
      for (let at = 0; at < file.size; at += CHUNK) {
        const part = await file.slice(at, at + CHUNK).arrayBuffer();
        session.push(new Uint8Array(part));
        done += part.byteLength;
        postMessage({ progress: done / total });
      }
      session.end();
    }
    postMessage({ outcome: session.read() });
  } catch (error) {
    postMessage({ failure: String(error) });
  }
};
