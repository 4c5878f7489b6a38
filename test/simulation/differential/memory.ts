/** What one server made up so far, and what it is called in the steps and in the comparison. */
import type { Call } from '../../../kube/client/http-client.ts';
import { isRecord } from '../../../workflows/values/is-record.ts';

interface Known {
  uid: string;
  resourceVersion: string;
}

const names = /\$(name):(\d+)/g;
const others = /\$(uid|version|before|token):([\w./-]*\w)/g;

export class Memory {
  readonly #objects = new Map<string, Known>();
  readonly #names = new Map<string, string>();
  readonly #tokens: string[] = [];
  /** Of all objects that were answered, the oldest first. */
  readonly versions: number[] = [];

  /** The same with what this server has made of the references. */
  resolved(call: Call): Call {
    const valueOf = (_all: string, what: string, of: string): string => this.#valueOf(what, of);
    // Names stand in other references too.
    const text = JSON.stringify(call).replaceAll(names, valueOf).replaceAll(others, valueOf);
    const result: Call = JSON.parse(text);
    return result;
  }

  learn(step: number, body: unknown): void {
    if (!isRecord(body) || !isRecord(body['metadata'])) return;
    const { metadata, kind } = body;
    const { name, namespace, uid, resourceVersion, continue: token } = metadata as Fields;
    if (token !== undefined) this.#tokens.push(token);
    if (uid === undefined || name === undefined || resourceVersion === undefined) return;
    this.#names.set(String(step), name);
    const place = namespace === undefined ? name : `${namespace}/${name}`;
    this.#objects.set(`${String(kind)}/${place}`, { uid, resourceVersion });
    this.#learnVersion(Number(resourceVersion));
  }

  #learnVersion(version: number): void {
    let at = this.versions.length;
    while (at > 0 && (this.versions[at - 1] ?? 0) > version) at -= 1;
    if (this.versions[at - 1] !== version) this.versions.splice(at, 0, version);
  }

  #valueOf(what: string, of: string): string {
    const known = this.#objects.get(of);
    const { versions } = this;
    const values: Record<string, string | undefined> = {
      uid: known?.uid ?? 'none',
      version: known?.resourceVersion ?? '1',
      before: String(versions.at(-1 - Number(of)) ?? versions[0]),
      name: this.#names.get(of) ?? 'none',
      token: this.#tokens.at(-1 - Number(of)),
    };
    return values[what] ?? '';
  }
}

interface Fields {
  name?: string;
  namespace?: string;
  uid?: string;
  resourceVersion?: string;
  continue?: string;
}
