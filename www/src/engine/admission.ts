import type { Answer, Finding } from "../contract.ts";

type Verb = (text: string, options: Record<string, unknown>) => Answer;

/** What admission is asked, besides the objects. */
export interface AdmissionOptions {
  operation: "CREATE" | "UPDATE" | "DELETE";
  subResource?: string;
  username: string;
  groups: string[];
  release?: string;
}

/** A Kubewarden ValidationResponse. */
export interface PolicyResponse {
  accepted: boolean;
  message?: string;
  code?: number;
  mutated_object?: unknown;
  audit_annotations?: Record<string, string>;
  warnings?: string[];
}

export interface Admitted {
  kind: string;
  name: string;
  namespace: string;
  /** Absent when the API server would refuse the object before it asks the policy. */
  response?: PolicyResponse;
  findings: Finding[];
  /** The object as the policy was given it. */
  object?: unknown;
  /** The AdmissionRequest it was given in. */
  request?: unknown;
}

export interface Admission {
  /** What is wrong with the settings; the objects are then not judged. */
  settings: Finding[];
  objects: Admitted[];
}

const PLURALS: Record<string, string> = {
  ResourceClaim: "resourceclaims",
  ResourceClass: "resourceclasses",
  DeviceClass: "deviceclasses",
  DeviceTaintRule: "devicetaintrules",
  ResourceClaimTemplate: "resourceclaimtemplates",
  PodScheduling: "podschedulings",
  PodSchedulingContext: "podschedulingcontexts",
  ResourceClaimParameters: "resourceclaimparameters",
  ResourceClassParameters: "resourceclassparameters",
  ResourceSlice: "resourceslices",
};

/** Puts each object of a manifest into an admission request, as the server would hold it, and asks the policy. */
export function admission(
  texts: { manifest: string; settings: string; old?: string },
  options: AdmissionOptions,
  parse: Verb,
  answer: (request: Record<string, unknown>) => Answer,
): Admission {
  const read = parse(texts.settings, { raw: true });
  if (read.findings.some(({ severity }) => severity === "error")) return { settings: read.findings, objects: [] };
  const settings = read["raw"] ?? {};
  const checked = answer({ verb: "admit", settings });
  if (!checked.ok) return { settings: checked.findings, objects: [] };
  const release = options.release ? { release: options.release } : {};
  const stored = texts.old === undefined ? [] : parse(texts.old, release).objects;
  const { objects } = parse(texts.manifest, release);
  return {
    settings: [],
    objects: objects.map((entry) => {
      const { kind = "", name = "", namespace = "", apiVersion = "" } = entry;
      const admitted: Admitted = { kind, name, namespace, findings: [] };
      if (entry.object === undefined) return admitted;
      const [group, version] = apiVersion.split("/");
      const partner = stored.length === 1 && objects.length === 1 ? stored[0] : stored.find((other) => other.kind === kind && other.name === name && other.namespace === namespace);
      const request = {
        uid: "00000000-0000-0000-0000-000000000000",
        kind: { group, version, kind },
        resource: { group, version, resource: PLURALS[kind] ?? "" },
        ...(options.subResource ? { subResource: options.subResource } : {}),
        name,
        namespace,
        operation: options.operation,
        userInfo: { username: options.username, groups: options.groups },
        object: options.operation === "DELETE" ? null : entry.object,
        oldObject: options.operation === "CREATE" ? null : (partner?.object ?? null),
        dryRun: false,
      };
      const result = answer({ verb: "admit", request, settings });
      return { ...admitted, response: result["response"] as PolicyResponse, findings: result.findings, object: entry.object, request };
    }),
  };
}
