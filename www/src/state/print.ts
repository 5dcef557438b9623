/**
 * A JSON value as block YAML, fields in the order they stand, for showing what the server holds. Strings that YAML 1.1
 * could read as anything else are quoted.
 */
export function printYaml(value: unknown): string {
  const lines: string[] = [];
  print(value, "", "", lines);
  return `${lines.join("\n")}\n`;
}

const PLAIN = /^[A-Za-z][A-Za-z0-9_./-]*$/;
const WORDS = /^(?:y|n|yes|no|on|off|true|false|null)$/i;

function scalar(value: unknown): string {
  if (typeof value === "string") return PLAIN.test(value) && !WORDS.test(value) ? value : JSON.stringify(value);
  return JSON.stringify(value) ?? "null";
}

function key(name: string): string {
  return PLAIN.test(name) && !WORDS.test(name) ? name : JSON.stringify(name);
}

function print(value: unknown, indent: string, lead: string, lines: string[]): void {
  if (Array.isArray(value)) {
    if (value.length === 0) lines.push(`${lead}[]`);
    value.forEach((item, index) => print(item, `${indent}  `, `${index === 0 ? lead : indent}- `, lines));
    return;
  }
  if (typeof value === "object" && value !== null) {
    const entries = Object.entries(value);
    if (entries.length === 0) lines.push(`${lead}{}`);
    entries.forEach(([name, field], index) => {
      const start = `${index === 0 ? lead : indent}${key(name)}:`;
      const nested = typeof field === "object" && field !== null && (Array.isArray(field) ? field.length : Object.keys(field).length) > 0;
      if (!nested) {
        lines.push(`${start} ${Array.isArray(field) ? "[]" : typeof field === "object" && field !== null ? "{}" : scalar(field)}`);
        return;
      }
      lines.push(start);
      const deeper = Array.isArray(field) ? indent : `${indent}  `;
      print(field, deeper, deeper, lines);
    });
    return;
  }
  lines.push(`${lead}${scalar(value)}`);
}
