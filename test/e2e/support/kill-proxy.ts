/**
 * Stands between a worker and the two servers that it works with, the API server and the virtual
 * cloud, and has the worker killed when it is at a step for the first time: either before the step
 * is forwarded, or when it is done and the worker does not know. A step that has killed once
 * passes.
 *
 * Temporal puts a task that fails many times in a row off for longer and longer, and short steps of
 * one object are one task. So only what makes or deletes something kills for each object; other
 * writes kill for two objects of each kind, and three times for an object; reads, which come again,
 * kill once for each kind, if the worker has written since its last death.
 *
 * Before a step the world is as it was after the last one, so there only what makes or deletes
 * something kills.
 */
import type { IncomingMessage } from 'node:http';
import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stepOf, type Step } from './kill-steps.ts';
import { Relay, type Gate, type RelayedRequest, type ServerTls, type Upstream } from './relay.ts';
import { logFolderOf, testStack } from './test-stack.ts';
import type { Access } from './operator.ts';
import { apiServer, kubeconfigOf, type User } from './worker-upstream.ts';

export type KillMoment = 'before' | 'after';

/** Of the writes that are not decisive. With three objects, every kind has its turn. */
const minorKillsMax = { ofKind: 2, ofObject: 3 };

/** Another cloud than the virtual one, which the worker then reaches without a relay. */
export interface CloudBehind {
  /** Of the relay's server; asked when the proxy starts. */
  upstream: () => Upstream;
  /** What its relay speaks TLS with. Default: it does not. */
  serverTls?: () => ServerTls | undefined;
  stepOf: (request: RelayedRequest) => Step;
}

/**
 * Whether the worker has to die at this step. Asked while it is armed, also for steps that killed
 * before.
 */
export type Picker = (step: Step, request: RelayedRequest) => boolean | Promise<boolean>;

export interface KillProxyOptions {
  moment: KillMoment;
  /** Of its files: two proxies must not share them. */
  name: string;
  /** Of the API server. Default that of a worker. */
  user?: User;
  /** Default: every kind of step, as described above. */
  picks?: Picker;
  /** Default the virtual cloud. */
  cloud?: CloudBehind | undefined;
}

const virtualCloud: CloudBehind = {
  upstream: () => ({ origin: testStack().virtualCloud }),
  stepOf: (request) => stepOf('cloud', request),
};

interface Addresses {
  kubeconfig: string;
  /** Of the relay in front of the cloud. */
  cloud: string;
}

export class KillProxy {
  /** Steps that killed, in order; `kills.log` among the logs of the e2e tests has their times. */
  readonly kills: Step[] = [];
  /** Kinds of the steps while it was armed. */
  readonly seen = new Set<string>();
  readonly #moment: KillMoment;
  readonly #name: string;
  readonly #user: User;
  readonly #picks: Picker;
  readonly #cloud: CloudBehind;
  readonly #relays: Relay[] = [];
  #kill: () => Promise<void> = async () => {};
  /** Steps that killed since it was armed last. */
  #round: Step[] = [];
  #isArmed = false;
  #hasWritten = false;
  #dying: Promise<void> | undefined;
  #addresses: Addresses | undefined;

  constructor({
    moment,
    name,
    user = 'millwright-worker',
    picks,
    cloud = virtualCloud,
  }: KillProxyOptions) {
    this.#moment = moment;
    this.#name = name;
    this.#user = user;
    this.#picks = picks ?? ((step) => this.#isNext(step));
    this.#cloud = cloud;
  }

  /** `kill` resolves when the worker is dead. */
  async start(kill: () => Promise<void>): Promise<void> {
    this.#kill = kill;
    const api = await this.#relay(await apiServer(this.#user), (request) => stepOf('api', request));
    const { upstream, stepOf: stepOfCloud, serverTls } = this.#cloud;
    const cloud = await this.#relay(upstream(), stepOfCloud, serverTls?.());
    const kubeconfig = join(this.#folder, 'kubeconfig');
    writeFileSync(kubeconfig, kubeconfigOf(api));
    this.#addresses = { kubeconfig, cloud };
  }

  /** For the worker. */
  get access(): Access {
    const { kubeconfig, cloud } = this.#started;
    // What looks after the scenario's own class must not ask another cloud for virtual machines.
    const isVirtual = this.#cloud === virtualCloud;
    return { kubeconfig, virtualCloud: isVirtual ? cloud : testStack().virtualCloud };
  }

  /** Where the worker has to look for the cloud. */
  get cloudUrl(): string {
    return this.#started.cloud;
  }

  /** From now on steps kill; writes also if they did before. At first everything passes. */
  arm(): void {
    this.#isArmed = true;
    this.#hasWritten = true;
    this.#round = [];
  }

  /** From now on everything passes. */
  disarm(): void {
    this.#isArmed = false;
  }

  async stop(): Promise<void> {
    await Promise.all(this.#relays.map((relay) => relay.stop()));
  }

  /** Kinds of steps that killed, sorted. */
  get kindsHit(): string[] {
    return [...new Set(this.kills.map(({ kind }) => kind))].toSorted();
  }

  get #started(): Addresses {
    if (this.#addresses === undefined) throw new Error('the kill proxy was not started');
    return this.#addresses;
  }

  get #folder(): string {
    return logFolderOf(testStack(), this.#name);
  }

  #log(text: string): void {
    const line = `${new Date().toISOString()} ${text}\n`;
    appendFileSync(join(this.#folder, 'kills.log'), line);
  }

  async #relay(
    upstream: Upstream,
    nameStep: CloudBehind['stepOf'],
    serverTls?: ServerTls,
  ): Promise<string> {
    const gate: Gate = async (request, forward) => {
      const step = nameStep(request);
      const mustKill = !this.#dying && (await this.#mustKill(step, request));
      if (this.#dying) {
        // Sent by a worker that is about to be dead: as if it had never left it.
        await this.#dying;
        return undefined;
      }
      if (!mustKill) {
        this.#hasWritten ||= step.isWrite;
        return await forward();
      }
      this.kills.push(step);
      this.#round.push(step);
      try {
        this.#dying = this.#killAt(step, forward);
        await this.#dying;
      } finally {
        this.#dying = undefined;
      }
      return undefined;
    };
    const relay = new Relay(upstream, gate, serverTls);
    this.#relays.push(relay);
    return await relay.start();
  }

  async #mustKill(step: Step, request: RelayedRequest): Promise<boolean> {
    if (!this.#isArmed) return false;
    this.seen.add(step.kind);
    return await this.#picks(step, request);
  }

  #isNext(step: Step): boolean {
    // A read is as good in one round as in another.
    const known = step.isWrite ? this.#round : this.kills;
    const ofKind = known.filter(({ kind }) => kind === step.kind);
    const isNew = ofKind.every(({ object }) => object !== step.object);
    if (!isNew) return false;
    if (this.#moment === 'before') return step.isDecisive;
    if (!step.isWrite) return this.#hasWritten;
    const ofObject = this.#round.filter(({ object }) => object === step.object);
    const minor = ofObject.filter(({ isDecisive }) => !isDecisive);
    const isTurn = ofKind.length < minorKillsMax.ofKind && minor.length < minorKillsMax.ofObject;
    return step.isDecisive || isTurn;
  }

  async #killAt(step: Step, forward: () => Promise<IncomingMessage>): Promise<void> {
    this.#log(`reached: ${step.kind} ${step.object}`);
    if (this.#moment === 'after') await settled(forward);
    await this.#kill();
    this.#log('dead');
    this.#hasWritten = false;
    // What the dead one sent and nobody has read must not be taken for requests of the next one.
    for (const relay of this.#relays) relay.cutAll();
  }
}

/** The server has done it. What it answered, and whether it answered at all, nobody will know. */
async function settled(forward: () => Promise<IncomingMessage>): Promise<void> {
  try {
    (await forward()).destroy();
  } catch {
    // As much as the worker would know of it.
  }
}
