/** What hinders calls for a while: lines that are cut, high loads, and writes that are refused. */

import type { Body } from '../../support/api-server/creation.ts';

/** Of an API server on a call that it does not carry out. */
export interface Verdict {
  code: number;
  reason: string;
  message: string;
  retryAfterSeconds?: number;
  details?: object;
}

/** Of a process to a cluster or to Temporal. */
export interface Cut {
  /** Name of the process. */
  process: string;
  /** Name of the cluster, or `temporal`. */
  to: string;
  /** Milliseconds since 1970. */
  untilMs: number;
  /** Nothing comes back; otherwise the connection breaks. */
  isSilent: boolean;
}

/** Of a server that has more to do than it can: it does everything, and late. */
export interface Overload {
  /** Name of the cluster, or `temporal`. */
  of: string;
  /** Milliseconds since 1970. */
  untilMs: number;
  /** So long a request waits at most before it is carried out, and so long its answer. */
  longestMs: number;
}

/** Of an API server, as an admission webhook does it. */
export interface Refusal {
  /** Name of the cluster. */
  cluster: string;
  method: string;
  /** With which the path of the call begins. */
  pathPrefix: string;
  /** Whether the policy refuses a request with this body. Default: it refuses every one. */
  isMeant?(body: unknown): boolean;
  untilMs: number;
  verdict: Verdict;
}

/** Of an API server: a policy changes what is created. */
export interface Alteration {
  /** Name of the cluster. */
  cluster: string;
  /** Of a collection. */
  path: string;
  alter(body: Body): Body;
  untilMs: number;
}

/** Of an API server. */
export interface Asked {
  /** For example `POST /api/v1/namespaces/a/pods`. */
  call: string;
  /** Name of the cluster. */
  cluster: string;
  body?: unknown;
}

export class Hindrances {
  #cuts: Cut[] = [];
  #overloads: Overload[] = [];
  #refusals: Refusal[] = [];
  #alterations: Alteration[] = [];

  cut(cut: Cut): void {
    this.#cuts.push(cut);
  }

  overload(overload: Overload): void {
    this.#overloads.push(overload);
  }

  refuse(refusal: Refusal): void {
    this.#refusals.push(refusal);
  }

  alter(alteration: Alteration): void {
    this.#alterations.push(alteration);
  }

  clear(): void {
    this.#alterations = [];
    this.#cuts = [];
    this.#overloads = [];
    this.#refusals = [];
  }

  cutOf(process: string, to: string, now: number): Cut | undefined {
    if (this.#cuts.length === 0) return undefined;
    this.#cuts = this.#cuts.filter(({ untilMs }) => untilMs > now);
    return this.#cuts.find((cut) => cut.process === process && cut.to === to);
  }

  overloadOf(server: string, now: number): Overload | undefined {
    if (this.#overloads.length === 0) return undefined;
    this.#overloads = this.#overloads.filter(({ untilMs }) => untilMs > now);
    return this.#overloads.find((overload) => overload.of === server);
  }

  alterationsOf(path: string, of: string, now: number): Alteration[] {
    return this.#alterations.filter(
      (one) => one.untilMs > now && one.cluster === of && one.path === path,
    );
  }

  verdictOn({ call, cluster, body }: Asked, now: number): Verdict | undefined {
    if (this.#refusals.length === 0) return undefined;
    this.#refusals = this.#refusals.filter(({ untilMs }) => untilMs > now);
    const found = this.#refusals.find(
      ({ method, pathPrefix, isMeant, ...refusal }) =>
        refusal.cluster === cluster &&
        call.startsWith(`${method} ${pathPrefix}`) &&
        (isMeant?.(body) ?? true),
    );
    return found?.verdict;
  }
}
