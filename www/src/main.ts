// The worker with the Wasm module starts first and gets ready while the browser still reads the editor's code.
import "./engine/client.ts";

void import("./app.tsx");
