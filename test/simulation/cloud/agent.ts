/** The agent on one Node that updates it in place, as Gardener's node agent does (MCM 7.9). */
import { node as nodePath } from '../../../kube/client/paths.ts';
import { annotations, labels } from '../../../workflows/api/constants.ts';
import { deleteObject } from '../controllers/writes.ts';
import type { Chance } from '../engine/chance.ts';
import type { Simulation } from '../engine/simulation.ts';
import type { Cluster } from '../world/kube-client.ts';
import { readNode } from './node-status.ts';
import type { NodeObject } from './node.ts';

/** What happens to one update. */
export interface Course {
  /** Until the result is there. */
  lastsMs: number;
  /** It has no answer. */
  isSilent: boolean;
  isFailed: boolean;
  /** After a failure: so long until it is successful after all; undefined: never. */
  mendedAfterMs: number | undefined;
  /** Its process dies in the middle, and begins anew so much later. */
  diesForMs: number | undefined;
  /** The machine starts again in the middle, and is so long not ready. */
  rebootsForMs: number | undefined;
  /** By mistake it leaves the pods of the Node where they are. */
  leavesPods: boolean;
}

export interface AgentParts {
  simulation: Simulation;
  cluster: Cluster;
  /** Of the Node. */
  name: string;
  /** For what is not a matter of faults. */
  chance: Chance;
  /** Of the next update. */
  courseOf(): Course;
  /** Whether the next update is answered before it is asked for. */
  isEarly(): boolean;
  /** The machine is there, and its words arrive. */
  isHeard(): boolean;
  /** Nothing goes wrong any more. */
  isCalm(): boolean;
  reboot(lastsMs: number): void;
}

type Result = 'successful' | 'failed';

const minuteMs = 60_000;
const retryMs = 10_000;
const earlyMs = 60_000;
const reasons = ['disk is full', 'kubelet is not healthy', 'the same version after the reboot'];

export class Agent {
  readonly #parts: AgentParts;
  /** Of the condition InPlaceUpdate, when the Node was last looked at. */
  #reason = '';
  /** It works on an update, or will never answer it. */
  #isBusy = false;
  #isSilent = false;
  #isWaiting = false;
  /** Counts the updates: what an earlier one had in mind is over. */
  #round = 0;

  constructor(parts: AgentParts) {
    this.#parts = parts;
  }

  /** To be called when its Node may have changed. */
  look(): void {
    const node = this.#node;
    const reason = node ? reasonOf(node) : '';
    const before = this.#reason;
    this.#reason = reason;
    if (!node) return this.#forget();
    if (reason === 'SelectedForUpdate' && before !== reason && this.#parts.isEarly()) {
      this.#parts.simulation.after(this.#parts.chance.between(0, earlyMs), () =>
        this.#answer('successful'),
      );
    }
    if (reason !== 'ReadyForUpdate') {
      if (reason !== 'UpdateFailed') this.#forget();
      return;
    }
    if (this.#isBusy || resultOf(node) !== undefined) return;
    if (this.#mayWrite) this.#begin();
    else this.#lookLater();
  }

  /** It runs on the machine, and hears of nothing while that is not there. */
  #lookLater(): void {
    if (this.#isWaiting) return;
    this.#isWaiting = true;
    this.#parts.simulation.after(retryMs, () => {
      this.#isWaiting = false;
      this.look();
    });
  }

  /** From now on nothing goes wrong any more: what has no good answer gets one. */
  recover(): void {
    const { simulation, chance } = this.#parts;
    simulation.after(chance.between(0.5, 5) * minuteMs, () => {
      this.look();
      const node = this.#node;
      const isLeft = this.#isSilent || (node && resultOf(node) === 'failed');
      if (isLeft && ['ReadyForUpdate', 'UpdateFailed'].includes(this.#reason)) {
        this.#answer('successful');
      }
    });
  }

  get #node(): NodeObject | undefined {
    const { cluster, name } = this.#parts;
    return readNode(cluster, name);
  }

  #forget(): void {
    this.#round += 1;
    this.#isBusy = false;
    this.#isSilent = false;
  }

  #begin(): void {
    const course = this.#parts.courseOf();
    this.#round += 1;
    this.#isBusy = true;
    this.#isSilent = course.isSilent;
    this.#say('begins an update');
    if (course.isSilent) return;
    const { lastsMs, diesForMs = 0, rebootsForMs } = course;
    if (diesForMs > 0) this.#later(lastsMs / 2, () => this.#say('dies in the middle'));
    if (rebootsForMs !== undefined) {
      this.#later(lastsMs / 2, () => this.#parts.reboot(rebootsForMs));
    }
    this.#later(lastsMs + diesForMs + (rebootsForMs ?? 0), () => this.#end(course));
  }

  #end(course: Course): void {
    const { mendedAfterMs, leavesPods } = course;
    const isFailed = course.isFailed && !this.#parts.isCalm();
    this.#isBusy = false;
    if (!leavesPods && !isFailed) this.#deletePods();
    this.#answer(isFailed ? 'failed' : 'successful');
    if (!isFailed || mendedAfterMs === undefined) return;
    this.#later(mendedAfterMs, () => this.#answer('successful'));
  }

  /** While no new update has begun. */
  #later(milliseconds: number, act: () => void): void {
    const round = this.#round;
    this.#parts.simulation.after(milliseconds, () => {
      if (round !== this.#round) return;
      if (this.#mayWrite || !this.#node) act();
      else this.#later(retryMs, act);
    });
  }

  get #mayWrite(): boolean {
    const { cluster, isHeard } = this.#parts;
    return cluster.isUp && isHeard();
  }

  #answer(result: Result): void {
    const { cluster, name, chance } = this.#parts;
    if (!this.#node || !this.#mayWrite) return;
    const why = result === 'failed' ? chance.pick(reasons) : null;
    const metadata = {
      labels: { [labels.updateResult]: result },
      annotations: { [annotations.updateFailedReason]: why },
    };
    cluster.server.patch(nodePath(name), { type: 'merge', body: { metadata } });
    this.#say(`says that the update was ${result}`);
  }

  /** Of all kinds: the containers do not live through an update. */
  #deletePods(): void {
    const { cluster, name } = this.#parts;
    const { items = [] }: { items?: Pod[] } = cluster.server.get('/api/v1/pods');
    for (const { metadata, spec } of items) {
      if (spec?.nodeName !== name) continue;
      const path = `/api/v1/namespaces/${metadata.namespace}/pods/${metadata.name}`;
      deleteObject(cluster.server, { path, uid: metadata.uid });
    }
  }

  #say(what: string): void {
    const { simulation, name } = this.#parts;
    simulation.note('agent', `${what} on Node ${name}`);
  }
}

interface Pod {
  metadata: { namespace: string; name: string; uid: string };
  spec?: { nodeName?: string };
}

/** Empty where the Node has no such condition, or it is not True. */
export function reasonOf({ status }: NodeObject): string {
  const found = status?.conditions?.find(({ type }) => type === 'InPlaceUpdate');
  return found?.status === 'True' ? found.reason : '';
}

function resultOf({ metadata }: NodeObject): string | undefined {
  return metadata?.labels?.[labels.updateResult];
}
