import { createHash } from "node:crypto";
import { existsSync, readFileSync, readdirSync, statSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { defineConfig, type Plugin } from "vite";

const here = fileURLToPath(new URL(".", import.meta.url));
const wasmGlue = join(here, "../pkg/claimkit.js");

/** Every file below `dir`, as paths relative to it. */
function walk(dir: string, from = dir): string[] {
  if (!existsSync(dir)) return [];
  return readdirSync(dir).flatMap((name) => {
    const path = join(dir, name);
    return statSync(path).isDirectory() ? walk(path, from) : [relative(from, path)];
  });
}

/**
 * Adds the pages of `codes/` as they are and writes the service worker with the list of everything the page needs,
 * so that the page works without a network after the first visit. The cache is named after the contents.
 */
function offline(): Plugin {
  return {
    name: "claimkit-offline",
    apply: "build",
    enforce: "post",
    generateBundle(_options, bundle) {
      for (const path of walk(join(here, "codes"))) {
        this.emitFile({ type: "asset", fileName: `codes/${path}`, source: readFileSync(join(here, "codes", path)) });
      }
      const hash = createHash("sha256");
      const listed = new Set(["./", ...walk(join(here, "public"))]);
      for (const [name, item] of Object.entries(bundle)) {
        hash.update(name).update(item.type === "chunk" ? item.code : item.source);
        if (!name.endsWith(".map")) listed.add(name);
      }
      for (const path of walk(join(here, "codes"))) {
        hash.update(readFileSync(join(here, "codes", path)));
        listed.add(`codes/${path}`);
      }
      for (const path of walk(join(here, "public"))) hash.update(readFileSync(join(here, "public", path)));
      hash.update(readFileSync(join(here, "index.html")));
      listed.delete("index.html");
      const source = readFileSync(join(here, "src/sw.js"), "utf8")
        .replace("__VERSION__", hash.digest("hex").slice(0, 16))
        .replace("__FILES__", JSON.stringify([...listed].sort()));
      this.emitFile({ type: "asset", fileName: "sw.js", source });
    },
  };
}

/** Has the browser fetch the page's code together with the small script that starts the worker, not after it. */
function early(): Plugin {
  return {
    name: "claimkit-early",
    apply: "build",
    transformIndexHtml: {
      order: "post",
      handler(html, { bundle }) {
        const chunks = Object.values(bundle ?? {}).filter((item) => item.type === "chunk");
        const app = chunks.find((chunk) => chunk.facadeModuleId?.endsWith("/src/app.tsx"));
        if (!app) throw new Error("the page's own chunk is not in the bundle");
        const files = [app.fileName, ...app.imports].filter((file) => !html.includes(file));
        const tags = files.map((file) => ({ tag: "link", attrs: { rel: "modulepreload", href: `./${file}` }, injectTo: "head" as const }));
        const styles = [...(app.viteMetadata?.importedCss ?? [])].map((file) => ({ tag: "link", attrs: { rel: "stylesheet", href: `./${file}` }, injectTo: "head" as const }));
        return [...styles, ...tags];
      },
    },
  };
}

/** Says what to do when the Wasm build is missing, instead of a bundler's stack trace. */
function needsWasm(): Plugin {
  return {
    name: "claimkit-needs-wasm",
    buildStart() {
      if (!existsSync(wasmGlue)) {
        throw new Error("pkg/claimkit.js is missing: run `make pkg` in the repository first (it builds the Wasm module)");
      }
    },
  };
}

export default defineConfig({
  base: "./",
  plugins: [needsWasm(), early(), offline()],
  resolve: { alias: { "claimkit-wasm": wasmGlue } },
  server: { fs: { allow: [here, join(here, "../pkg")] } },
  worker: { format: "es" },
  build: { target: "es2022", assetsInlineLimit: 0, modulePreload: { polyfill: false } },
  // A browser on a busy machine misses a moment now and then: once more, and the first try stays in the report.
  test: { include: ["tests/**/*.test.ts"], testTimeout: 60_000, hookTimeout: 60_000, fileParallelism: false, retry: 1 },
} as Parameters<typeof defineConfig>[0]);
