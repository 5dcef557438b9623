import { t, lang, LANGUAGES } from "../i18n/index.ts";
import { en } from "../i18n/en.ts";
import { zh } from "../i18n/zh.ts";
import { dialog } from "../state/actions.ts";
import { copyLink, openExample, resetAll } from "../state/session.ts";
import { exampleGroups, type Example } from "../examples/index.ts";
import { release, RELEASES, theme, type Release } from "../state/options.ts";
import { Icon, type IconName } from "./Icon.tsx";
import { Popover } from "./Popover.tsx";
import { Ticked } from "./Ticked.tsx";

const RELEASE_NAMES: Record<Release, string> = { "": "", "1.26.1": "1.26.1", "1.26": "1.26", "1.27": "1.27", "1.28": "1.28", "1.29": "1.29", "1.30": "1.30" };

function Examples() {
  const s = t.value;
  const item = (example: Example, close: () => void) => (
    <li key={example.id}>
      <button
        type="button"
        class="menu-item two-lines"
        onClick={() => {
          close();
          void openExample(example);
        }}
      >
        <b>{example.title[lang.value]}</b>
        <span>
          <Ticked text={example.sentence[lang.value]} />
        </span>
      </button>
    </li>
  );
  return (
    <Popover
      label={s.examples}
      wide
      button={
        <>
          <Icon name="book" />
          <span class="label">{s.examples}</span>
          <Icon name="chevron" size={12} />
        </>
      }
    >
      {(close) => (
        <div class="menu">
          <p class="note">{s.examplesIntro}</p>
          {exampleGroups().map(({ group, list }) => (
            <section key={group} aria-label={s.exampleGroups[group]}>
              <h3>{s.exampleGroups[group]}</h3>
              <ul>{list.map((example) => item(example, close))}</ul>
            </section>
          ))}
        </div>
      )}
    </Popover>
  );
}

function Releases() {
  const s = t.value;
  return (
    <Popover
      label={`${s.release} ${RELEASE_NAMES[release.value] || s.releaseAuto}`}
      wide
      button={
        <>
          <span class="label muted">{s.release}</span>{" "}
          <b class="tabular">{RELEASE_NAMES[release.value] || s.releaseAuto}</b>
          <Icon name="chevron" size={12} />
        </>
      }
    >
      {() => (
        <fieldset class="choices">
          <legend class="sr">{s.release}</legend>
          {RELEASES.map((value) => (
            <label key={value} class="choice">
              <input type="radio" name="release" checked={release.value === value} onChange={() => (release.value = value)} />
              <span>
                <b class="tabular">{RELEASE_NAMES[value] || s.releaseAuto}</b>
                <span class="note">
                  <Ticked text={value === "" ? s.releaseAutoNote : (s.releaseNotes[value] ?? "")} />
                </span>
              </span>
            </label>
          ))}
        </fieldset>
      )}
    </Popover>
  );
}

const THEME_ICONS: Record<"system" | "light" | "dark", IconName> = { system: "system", light: "sun", dark: "moon" };

function Preferences() {
  const s = t.value;
  return (
    <Popover label={s.more} align="end" buttonClass="button icon-only" button={<Icon name="dots" />}>
      {(close) => (
        <div class="menu preferences">
          <fieldset class="segments">
            <legend>{s.theme}</legend>
            {(["system", "light", "dark"] as const).map((value) => (
              <label key={value} title={s.themes[value]}>
                <input type="radio" name="theme" checked={theme.value === value} onChange={() => (theme.value = value)} />
                <span>
                  <Icon name={THEME_ICONS[value]} /> {s.themes[value]}
                </span>
              </label>
            ))}
          </fieldset>
          <fieldset class="segments">
            <legend>{s.language}</legend>
            {LANGUAGES.map((value) => (
              <label key={value}>
                <input type="radio" name="language" checked={lang.value === value} onChange={() => (lang.value = value)} />
                <span lang={value}>{(value === "en" ? en : zh).languageName}</span>
              </label>
            ))}
          </fieldset>
          <hr />
          <button
            type="button"
            class="menu-item"
            onClick={() => {
              close();
              dialog.value = "shortcuts";
            }}
          >
            <Icon name="keyboard" /> {s.shortcuts}
          </button>
          <button
            type="button"
            class="menu-item"
            onClick={() => {
              close();
              void resetAll();
            }}
          >
            <Icon name="reset" /> {s.reset}
          </button>
        </div>
      )}
    </Popover>
  );
}

export function Header() {
  const s = t.value;
  return (
    <header class="bar">
      <h1 class="brand">
        <img src="./icon.svg" alt="" width="22" height="22" />
        <span>claimkit</span>
      </h1>
      <Examples />
      <Releases />
      <span class="spacer" />
      <button type="button" class="button" title={s.share} onClick={() => void copyLink()}>
        <Icon name="link" />
        <span class="label">{s.share}</span>
      </button>
      <Preferences />
    </header>
  );
}
