import { signal } from "@preact/signals";
import { remembered } from "./storage.ts";

export const PANELS = ["problems", "convert", "nodes", "request", "policy"] as const;
export type Panel = (typeof PANELS)[number];
export const panel = signal<Panel>("problems");

/** The empty string lets each object choose: v1alpha1 is 1.26, v1alpha2 is 1.30. */
export const RELEASES = ["", "1.26.1", "1.26", "1.27", "1.28", "1.29", "1.30"] as const;
export type Release = (typeof RELEASES)[number];
export const release = signal<Release>("");

export const OPERATIONS = ["create", "update", "updateStatus", "patch", "patchStatus"] as const;
export type Operation = (typeof OPERATIONS)[number];
export const operation = signal<Operation>("create");

export const FIELD_VALIDATIONS = ["Strict", "Warn", "Ignore"] as const;
export const fieldValidation = signal<(typeof FIELD_VALIDATIONS)[number]>("Strict");

export const VIAS = ["kubectl", "validator"] as const;
export const via = signal<(typeof VIAS)[number]>("kubectl");

/** The namespace of the request (`kubectl -n`); empty: as the objects say. */
export const requestNamespace = signal("");

export const PATCH_TYPES = ["strategic", "merge", "json", "apply"] as const;
export const patchType = signal<(typeof PATCH_TYPES)[number]>("strategic");
export const fieldManager = signal("kubectl");
export const force = signal(false);

export const TARGETS = ["other", "resource.k8s.io/v1alpha1", "resource.k8s.io/v1alpha2"] as const;
export const target = signal<(typeof TARGETS)[number]>("other");
export const lossy = signal(false);

export const theme = remembered("theme", ["system", "light", "dark"] as const, "system");

/** Applies the theme to the page; `theme.js` does the same before the first paint. */
export function applyTheme(): void {
  const root = document.documentElement;
  if (theme.value === "system") delete root.dataset["theme"];
  else root.dataset["theme"] = theme.value;
}
