/**
 * Approves requests of kubelets for serving certificates in one target cluster: a watch, and a
 * review of each open request, again and again until it is decided on. Nothing is kept: another
 * process, or this one after a restart, begins anew. Several at once do no harm, as one of them
 * writes and the others see it.
 */
import type { Machine } from '../../workflows/api/machine.ts';
import type { Backoff } from '../../kube/client/backoff.ts';
import { createBackoff } from '../../kube/client/backoff.ts';
import type { KubeClient } from '../../kube/client/client.ts';
import { isConflict } from '../../kube/client/errors.ts';
import { Reflector } from '../../kube/cache/reflector.ts';
import { recordEvent } from '../../kube/objects/events.ts';
import { component, machineSubject, referenceOf } from '../machine/object.ts';
import type { Timer } from '../system/system.ts';
import { after, monotonicMs, random } from '../system/system.ts';
import { kubeletServing } from './decision.ts';
import type { CertificateSigningRequest, ReviewOutcome, ServedMachines } from './review.ts';
import { isOpen, requestsPath, review } from './review.ts';

export interface ServingResult {
  result: 'approved' | 'leftAlone';
  /** Why it is left alone. */
  reason?: string;
  /** Of the request. */
  name: string;
  requester: string;
  /** NAMESPACE/NAME, where one names the Node. */
  machine?: string;
}

export interface ApproverOptions {
  target: KubeClient;
  /** Waits for a turn: few at a time, and those of one requester do not hold up the others. */
  turn<T>(requester: string, task: () => Promise<T>): Promise<T>;
  /** It was approved, or is left alone; once for each reason. */
  onResult(result: ServingResult): void;
  /** The watch broke or a review failed; it goes on by itself. */
  onError(error: unknown): void;
}

type Settled = Pick<ServingResult, 'result' | 'reason'> & { machine?: Machine };

/** A request that is neither approved nor denied. */
interface Open {
  uid: string;
  name: string;
  requester: string;
  since: number;
  backoff: Backoff;
  timer?: Timer;
  /** The last reason. */
  reported?: string;
}

/** The Node of a request may come moments after it, and its providerID too. */
const patienceMs = 30_000;
const waits = { firstMs: 1_000, maxMs: 300_000 };
/** Processes that see the same request do not all read it at once. */
const spreadMs = 300;
/** After a stop or a change of leaders, all come back; spread. */
const heldMs = 10_000;

export class ServingCertificates {
  readonly #options: ApproverOptions;
  readonly #served = new Map<string, ServedMachines>();
  readonly #open = new Map<string, Open>();
  #requests: Reflector<CertificateSigningRequest, ReturnType<typeof viewOf>> | undefined;

  /** Watches nothing before the first namespace. */
  constructor(options: ApproverOptions) {
    this.#options = options;
  }

  /** Begins with the Machines of a namespace; the result ends it. */
  serve(machines: ServedMachines): () => void {
    this.#served.set(machines.namespace, machines);
    this.#requests ??= this.#watch();
    for (const one of this.#open.values()) this.#reviewAnew(one);
    return () => void this.#served.delete(machines.namespace);
  }

  async close(): Promise<void> {
    for (const one of this.#open.values()) this.#forget(one);
    await this.#requests?.stop();
  }

  #watch() {
    return new Reflector({
      client: this.#options.target,
      path: requestsPath,
      query: { fieldSelector: `spec.signerName=${kubeletServing}` },
      transform: viewOf,
      onChange: ({ type, object }) => this.#see(type === 'live' && object.isOpen, object),
      onError: (error) => this.#options.onError(error),
    });
  }

  #see(isOpenNow: boolean, { uid, name, requester }: ReturnType<typeof viewOf>): void {
    const known = this.#open.get(uid);
    if (!isOpenNow) return known && this.#forget(known);
    if (known) return;
    const one = { uid, name, requester, since: monotonicMs(), backoff: createBackoff(waits) };
    this.#open.set(uid, one);
    this.#reviewAnew(one);
  }

  #forget(one: Open): void {
    one.timer?.cancel();
    this.#open.delete(one.uid);
  }

  #reviewAnew(one: Open): void {
    one.backoff.reset();
    this.#reviewIn(one, random() * spreadMs);
  }

  #reviewIn(one: Open, milliseconds: number): void {
    one.timer?.cancel();
    one.timer = after(milliseconds, () => void this.#review(one), { keepsAlive: false });
  }

  async #review(one: Open): Promise<void> {
    const { target, turn, onError } = this.#options;
    if (this.#served.size === 0) return;
    try {
      const seen = await turn(one.requester, async () =>
        this.#isOpen(one)
          ? await review({ target, served: [...this.#served.values()] }, one)
          : undefined,
      );
      // The watch may have shown the approval before its answer came.
      if (seen?.result === 'approved' || (seen && this.#isOpen(one))) this.#settle(one, seen);
    } catch (error) {
      if (!isConflict(error)) onError(error);
      if (this.#isOpen(one)) this.#reviewIn(one, one.backoff.next());
    }
  }

  #isOpen(one: Open): boolean {
    return this.#open.get(one.uid) === one;
  }

  #settle(one: Open, seen: ReviewOutcome): void {
    if (seen.result === 'over') return this.#forget(one);
    if (seen.result === 'held') return this.#reviewIn(one, heldMs * (0.5 + random()));
    if (seen.result === 'approved') {
      this.#forget(one);
      return this.#report(one, { result: 'approved', machine: seen.machine });
    }
    const { reason, isFinal, machine } = seen;
    const isLate = isFinal || monotonicMs() - one.since >= patienceMs;
    if (isLate && one.reported !== reason) {
      one.reported = reason;
      this.#report(one, { result: 'leftAlone', reason, ...(machine && { machine }) });
    }
    // What is wrong in the request itself stays so.
    if (!isFinal) this.#reviewIn(one, one.backoff.next());
  }

  /** Not with the name in an Event: a kubelet asks anew each quarter of an hour. */
  #report({ name, requester }: Open, seen: Settled): void {
    const { machine, ...rest } = seen;
    const ref = machine && referenceOf(machine);
    this.#options.onResult({
      ...rest,
      name,
      requester,
      ...(ref && { machine: `${ref.namespace}/${ref.name}` }),
    });
    const control = ref && this.#served.get(ref.namespace)?.control;
    if (!control || seen.result === 'approved') return;
    recordEvent(control, machineSubject(ref), {
      type: 'Warning',
      reason: 'ServingCertificateLeftAlone',
      message: `The request for a serving certificate of the kubelet is left alone: ${seen.reason}`,
      component,
    });
  }
}

function viewOf(request: CertificateSigningRequest) {
  const { uid, name, resourceVersion } = request.metadata;
  const { username: requester = '' } = request.spec;
  return { uid, name, resourceVersion, requester, isOpen: isOpen(request) };
}
