import { useEffect, useRef, useState } from "preact/hooks";
import { lang } from "../i18n/index.ts";

/** Below this width two columns of YAML cannot be read. */
const TWO_COLUMNS = 540;

/** Two texts side by side. The comparison's code is fetched when the first one is shown. */
export function Compare({ before, after, beforeLabel, afterLabel }: { before: string; after: string; beforeLabel: string; afterLabel: string }) {
  const host = useRef<HTMLDivElement>(null);
  const [wide, setWide] = useState<boolean | null>(null);
  useEffect(() => {
    const element = host.current;
    if (!element) return undefined;
    const observer = new ResizeObserver(([entry]) => setWide((entry?.contentRect.width ?? 0) >= TWO_COLUMNS));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  useEffect(() => {
    if (wide === null) return undefined; // not measured yet
    let gone = false;
    let shown: { destroy(): void } | undefined;
    void import("../editor/compare.ts").then(({ compare }) => {
      if (!gone && host.current) shown = compare(host.current, before, after, { before: beforeLabel, after: afterLabel }, wide);
    });
    return () => {
      gone = true;
      shown?.destroy();
    };
  }, [before, after, beforeLabel, afterLabel, wide, lang.value]);
  return (
    <div class="compare">
      {wide && (
        <div class="compare-head" aria-hidden="true">
          <span>{beforeLabel}</span>
          <span>{afterLabel}</span>
        </div>
      )}
      <div ref={host} class="compare-body" />
    </div>
  );
}
