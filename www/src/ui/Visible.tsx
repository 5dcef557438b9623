import { apart } from "../i18n/words.ts";

/** Text in which characters that hide what stands there are shown by their number. */
export function Visible({ text }: { text: string }) {
  const parts = apart(text);
  if (parts.length === 1) return <>{text}</>;
  return (
    <>
      {parts.map((part, index) =>
        index % 2 === 1 ? (
          <span key={index} class="hidden-character">
            {part}
          </span>
        ) : (
          part
        ),
      )}
    </>
  );
}
