import type { Together } from "./together.ts";

const LOOKED_AT = 200_000;

/** Whether claims of a text ask for devices (v1alpha3 and later) or for a class with a driver (v1alpha1 and v1alpha2); null: both, or none. */
export function familyOf({ files }: Together): "device" | "classic" | null {
  let [device, classic] = [false, false];
  for (const { doc } of files) {
    const text = doc.sliceString(0, LOOKED_AT);
    classic ||= /resource\.k8s\.io\/v1alpha[12]\b/.test(text);
    device ||= /resource\.k8s\.io\/(v1alpha3|v1beta[12]|v1)\b/.test(text);
  }
  return device === classic ? null : device ? "device" : "classic";
}
