/** One watcher and one worker for the namespaces of several scenarios. */
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { KubeObject } from '../../../kube/client/client.ts';
import { ignoreNotFound } from '../../../kube/client/ignore.ts';
import { namespaced } from '../../../kube/client/paths.ts';
import type { Cluster } from './cluster.ts';
import { eventually } from '../../support/eventually.ts';
import { createNamespace, grantFleet, revokeFleet } from './rights.ts';
import type { Access } from './operator.ts';
import { Operator } from './operator.ts';
import { Scenario } from './scenario.ts';
import { logFolderOf, testStack, type TestStack } from './test-stack.ts';

export interface FleetOptions {
  /** `labels`: namespaces with the fleet's label, each with a kubeconfig in a Secret. */
  finds: 'names' | 'labels';
  /** Of both processes, beside those that they need. */
  flags?: readonly string[];
  /** Default the one of the stack. */
  virtualCloud?: () => string;
}

/** Scenarios. */
const endedAtOnce = 10;
/** The label of the namespaces of a fleet, with the fleet's name as its value. */
export const fleetLabel = 'fleet';
/** The Secret with the kubeconfig of the target cluster. */
export const targetSecret = 'target';

export class TestFleet {
  readonly name: string;
  readonly operator: Operator;
  readonly members: Scenario[] = [];
  readonly #options: FleetOptions;

  constructor(name: string, options: FleetOptions) {
    this.name = `${name}-${randomBytes(2).toString('hex')}`;
    this.#options = options;
    const stack = testStack();
    const { virtualCloud = () => stack.virtualCloud } = options;
    const accessOf = (user: 'millwright-worker' | 'millwright-watcher') => (): Access => ({
      kubeconfig: stack.layout.kubeconfigOf(user),
      virtualCloud: virtualCloud(),
    });
    this.operator = new Operator(stack, {
      namespace: this.name,
      isDoubled: false,
      serves: () => this.#served(),
      ...(options.finds === 'labels' && { target: 'secret' as const }),
      flags: ['--log-level=debug', ...(options.flags ?? [])],
      workerAccess: accessOf('millwright-worker'),
      watcherAccess: accessOf('millwright-watcher'),
    });
  }

  /** A scenario of it, whose namespace is not there yet. */
  member(
    name: string,
    { target = testStack(), causes = [] }: { target?: TestStack; causes?: readonly RegExp[] } = {},
  ): Scenario {
    const member = new Scenario(name, {
      fleet: this,
      causes,
      clusters: { control: testStack(), target },
      grant: async ({ cluster, namespace }) => await this.#admit(cluster, namespace, target),
    });
    this.members.push(member);
    return member;
  }

  /** Grants what its processes need beside the rights in each namespace. */
  async start(kube: Cluster['kube']): Promise<void> {
    await grantFleet(kube, this.name);
    this.operator.start();
  }

  async end(): Promise<void> {
    try {
      for (let first = 0; first < this.members.length; first += endedAtOnce) {
        const some = this.members.slice(first, first + endedAtOnce);
        await Promise.all(some.map((member) => member.end()));
      }
    } finally {
      await this.operator.stop();
    }
    expect(this.operator.faults).toEqual([]);
  }

  async revoke(kube: Cluster['kube']): Promise<void> {
    await revokeFleet(kube, this.name);
  }

  /** Lines of the log of a process that hold the words, each as JSON. */
  logged(program: 'watcher' | 'worker', words: string): Record<string, unknown>[] {
    const text = readFileSync(join(logFolderOf(testStack(), this.name), `${program}.log`), 'utf8');
    return text
      .split('\n')
      .filter((line) => line.startsWith('{') && line.endsWith('}') && line.includes(words))
      .map((line): Record<string, unknown> => JSON.parse(line));
  }

  /** Of a process: what it serves at /metrics. */
  async metrics(program: 'watcher' | 'worker'): Promise<string> {
    const line = this.logged(program, 'serving /healthz').at(-1);
    return await (await fetch(`http://127.0.0.1:${String(line?.['port'])}/metrics`)).text();
  }

  async untilServed(program: 'watcher' | 'worker', namespace: string, value = 1): Promise<void> {
    const line = `millwright_namespace_served{kube_namespace="${namespace}"} ${value}`;
    await eventually(`${line} of the ${program}`, async () => {
      const text = await this.metrics(program);
      const found = text.split('\n').filter((one) => one.includes(`="${namespace}"`));
      if (!found.includes(line)) throw new Error(found.join('\n') || 'no such namespace');
    });
  }

  #served(): string[] {
    const names = this.members.map(({ namespace }) => namespace).join(',');
    return this.#options.finds === 'names'
      ? [`--namespaces=${names}`, `--install=${this.name}`]
      : [
          `--namespaces=labels:${fleetLabel}=${this.name}`,
          `--install=${this.name}`,
          `--target-kubeconfig-secret=${targetSecret}`,
        ];
  }

  async #admit({ kube }: Cluster, namespace: string, target: TestStack): Promise<void> {
    await createNamespace(kube, namespace, { fleet: this.name });
    if (this.#options.finds === 'labels') await writeTarget(kube, namespace, target);
  }
}

/** As Gardener writes it: data alone, with a token. */
export async function writeTarget(
  kube: Cluster['kube'],
  namespace: string,
  target: TestStack,
): Promise<void> {
  await writeKubeconfig(kube, namespace, readFileSync(target.layout.kubeconfig, 'utf8'));
}

export async function writeKubeconfig(
  kube: Cluster['kube'],
  namespace: string,
  kubeconfig: string,
): Promise<void> {
  const metadata = { name: targetSecret, namespace };
  const secret = { apiVersion: 'v1', kind: 'Secret', metadata, stringData: { kubeconfig } };
  const path = namespaced('secrets', namespace);
  const present = await ignoreNotFound(kube.get<KubeObject>(`${path}/${targetSecret}`));
  if (present) await kube.patch(`${path}/${targetSecret}`, 'merge', secret);
  else await kube.create(path, secret);
}
