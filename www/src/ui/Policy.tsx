import { Trouble } from "./Trouble.tsx";

export function Policy() {
  return <Trouble outcome={{ kind: "missing" }} verb="admit" />;
}
