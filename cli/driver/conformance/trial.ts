/** Shared by the checks of one run. */
import { randomUUID } from 'node:crypto';
import type { KubeClient } from '../../../kube/client/client.ts';
import type { Contract } from './contract.ts';
import type { DriverUnderTest, Input } from './driver-under-test.ts';
import type { MachineClass } from '../../../workflows/api/machine-class.ts';
import type { Trouble } from './trouble.ts';
import { Skipped } from './verdict.ts';

interface TrialParts {
  /** Names this run; names of machines and classes begin with it. */
  run: string;
  driver: DriverUnderTest;
  kube: KubeClient;
  namespace: string;
  /** UID of the control cluster. */
  cluster: string;
  machineClass: MachineClass;
  /** Decoded, of the class. */
  secret: Record<string, string>;
  /** Merged into the class's spec one after the other; each makes it wrong. */
  badSpecs: Record<string, unknown>[];
  /** Absent: none can be arranged. */
  trouble?: Trouble;
  /** Default all of ours. */
  contract?: Contract;
}

/** A machine that was asked for, and the instance that came. */
export interface Asked {
  request: Input<'createInstance'>;
  providerID?: string;
}

/** Nodes that join are of no use here. */
const nodeTemplate = { taints: [{ key: 'millwright.dev/verify', effect: 'NoSchedule' }] };

export class Trial {
  readonly parts: TrialParts;
  /** All that were ever asked for: the clean-up deletes what is left of them. */
  readonly asked: Asked[] = [];
  /** Temporary MachineClasses. */
  readonly classNames: string[] = [];
  /** As the driver says of its cloud, seconds. */
  settleSeconds = 0;
  readonly #first: Asked;

  constructor(parts: TrialParts) {
    this.parts = parts;
    this.#first = this.newMachine();
  }

  get driver(): DriverUnderTest {
    return this.parts.driver;
  }

  get first(): Asked {
    return this.#first;
  }

  get className(): string {
    return this.parts.machineClass.metadata.name;
  }

  /** No object of that name exists: a driver needs none. */
  newMachine(className = this.className): Asked {
    const { run, namespace, cluster, machineClass } = this.parts;
    const name = `${run}-${this.asked.length + 1}`;
    const uid = randomUUID();
    const asked: Asked = {
      request: {
        machine: { namespace, name, uid },
        cluster,
        className,
        provider: machineClass.provider ?? '',
        token: `${uid}-0`,
        nodeTemplate,
        isRetry: false,
      },
    };
    this.asked.push(asked);
    return asked;
  }

  listRequest(cluster = this.parts.cluster) {
    return { namespace: this.parts.namespace, className: this.className, cluster };
  }

  /** A cluster that there is not. */
  get otherCluster(): string {
    return `${this.parts.run}-another-cluster`;
  }
}

/** Throws a `Skipped` without it. */
export function instanceOf({ request, providerID }: Asked): string {
  if (providerID === undefined) throw new Skipped(`${request.machine.name} was not created`);
  return providerID;
}
