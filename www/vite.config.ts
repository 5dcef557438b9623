import { createHash } from "node:crypto";
import { existsSync, readFileSync, readdirSync, statSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { defineConfig, type Plugin } from "vite";
import { codeExamples } from "./build/codeexamples.ts";
import { shell } from "./build/shell.ts";

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

const documentation = `<a href="https://kubernetes.io/docs/concepts/scheduling-eviction/dynamic-resource-allocation/">Kubernetes documentation</a>`;

/**
 * Adds the pages of `codes/`, with links to their examples, and writes the service worker with the list of everything the page needs,
 * so that the page works without a network after the first visit. The cache is named after the contents.
 */
function offline(): Plugin {
  return {
    name: "claimkit-offline",
    apply: "build",
    enforce: "post",
    generateBundle(_options, bundle) {
      const examples = codeExamples(join(here, "../tests/manifests"));
      this.emitFile({ type: "asset", fileName: "code-examples.json", source: JSON.stringify(examples) });
      for (const path of walk(join(here, "codes"))) {
        const source = readFileSync(join(here, "codes", path));
        const code = path.replace(/\.html$/, "");
        // A page whose code has an example leads to it.
        const linked = code in examples ? source.toString().replace("</nav>", () => `<a href="../#example=code/${code}">Open in the playground</a>${documentation}</nav>`) : source;
        this.emitFile({ type: "asset", fileName: `codes/${path}`, source: linked });
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

/** A source for a content security policy: exactly this text. */
const sourceOf = (text: string) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

/**
 * Makes the page paint with its first response: the styles, the theme and the shell with the first example stand in it, allowed by
 * their hashes. The worker with the engine starts at once, and the page's code is fetched beside it.
 */
function firstPaint(): Plugin {
  return {
    name: "claimkit-first-paint",
    transformIndexHtml: {
      order: "post",
      handler(html, { bundle }) {
        // While developing there is no bundle: the page's code starts the worker.
        const worker = Object.keys(bundle ?? {}).find((name) => /\/worker-[^/]+\.js$/.test(name));
        const first = readFileSync(join(here, "build/first.js"), "utf8").replace("__WORKER__", JSON.stringify(worker ? `./${worker}` : null));
        const filled = html.replace("<!--first-->", () => `<script>${first}</script>`).replace("<!--shell-->", () => shell(join(here, "src/examples/first.yaml")));
        // While developing, styles come as scripts and are not known here.
        if (!bundle) return filled.replace("__SCRIPTS__", sourceOf(first)).replace("'self' __STYLES__", "'self' 'unsafe-inline'");
        let styles = "";
        for (const [name, item] of Object.entries(bundle)) {
          if (item.type !== "asset" || !name.endsWith(".css")) continue;
          styles += String(item.source).trim();
          delete bundle[name];
        }
        const chunks = Object.values(bundle).filter((item) => item.type === "chunk");
        const app = chunks.find((chunk) => chunk.facadeModuleId?.endsWith("/src/app.tsx"));
        if (!app) throw new Error("the page's own chunk is not in the bundle");
        // The panel that opens first comes along.
        const panel = chunks.find((chunk) => chunk.facadeModuleId?.endsWith("/src/ui/Problems.tsx"));
        const wanted = [app, panel].flatMap((chunk) => (chunk ? [chunk.fileName, ...chunk.imports] : []));
        const files = [...new Set(wanted)].filter((file) => !html.includes(file));
        return {
          html: filled
            .replace(/\s*<link rel="stylesheet"[^>]*>/g, "")
            .replace("</head>", () => `<style>${styles}</style></head>`)
            .replace("__SCRIPTS__", sourceOf(first))
            .replace("__STYLES__", sourceOf(styles)),
          tags: files.map((file) => ({ tag: "link", attrs: { rel: "modulepreload", href: `./${file}` }, injectTo: "head" as const })),
        };
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

/** The version of the package and the contents of the engine: the page says what it was made from. */
function build(): string {
  const { version } = JSON.parse(readFileSync(join(here, "../pkg/package.json"), "utf8")) as { version: string };
  const engine = join(here, "../pkg/claimkit_bg.wasm");
  return existsSync(engine) ? `${version} (${createHash("sha256").update(readFileSync(engine)).digest("hex").slice(0, 8)})` : version;
}

export default defineConfig({
  base: "./",
  define: { __BUILD__: JSON.stringify(build()) },
  plugins: [needsWasm(), firstPaint(), offline()],
  resolve: { alias: { "claimkit-wasm": wasmGlue } },
  server: { fs: { allow: [here, join(here, "../pkg")] } },
  worker: { format: "es" },
  build: { target: "es2022", assetsInlineLimit: 0, modulePreload: { polyfill: false } },
  // A browser on a busy machine misses a moment now and then: once more, and the first try stays in the report.
  test: { include: ["tests/**/*.test.ts"], testTimeout: 60_000, hookTimeout: 60_000, fileParallelism: false, retry: 1 },
} as Parameters<typeof defineConfig>[0]);
