/** What a workflow asked of the world, in order. */
import { isDeepStrictEqual } from 'node:util';
import { activityInfo, type Info } from '@temporalio/activity';
import type { DrainActivities } from '../../workflows/contracts/drain-activities.ts';
import type { DriverActivities } from '../../workflows/contracts/driver-activities.ts';
import type { FrontActivities } from '../../workflows/contracts/front-activities.ts';
import type { LaunchActivities } from '../../workflows/contracts/launch-activities.ts';
import type { KubeActivities } from '../../workflows/contracts/kube-activities.ts';
import type { OrphanActivities } from '../../workflows/contracts/safety-activities.ts';
import { eventually } from './eventually.ts';

export type Steps = KubeActivities &
  DriverActivities &
  DrainActivities &
  OrphanActivities &
  LaunchActivities &
  FrontActivities;
export type StepName = keyof Steps;
type InputOf<Name extends StepName> = Parameters<Steps[Name]>[0];

interface Call {
  name: string | symbol;
  input: unknown;
  info: Info;
}

interface CallOf<Name extends StepName> extends Call {
  name: Name;
  input: InputOf<Name>;
}

export class CallLog {
  readonly #calls: Call[] = [];

  /** The same steps, each call noted before it runs. */
  record<Some extends Partial<Steps>>(steps: Some): Some {
    const calls = this.#calls;
    return new Proxy(steps, {
      get(target, name) {
        const step: unknown = Reflect.get(target, name);
        if (typeof step !== 'function') return step;
        return (input: unknown): unknown => {
          calls.push({ name, input, info: activityInfo() });
          return step(input);
        };
      },
    });
  }

  /**
   * In order. A step whose answer came too late, as on a busy machine, runs again and counts once.
   */
  names(): string[] {
    return this.#calls
      .filter((call, index, calls) => !isAnotherAttempt(call, calls[index - 1]))
      .map(({ name }) => String(name));
  }

  count(name: StepName): number {
    return this.inputsOf(name).length;
  }

  inputsOf<Name extends StepName>(name: Name): InputOf<Name>[] {
    const isOfStep = (call: Call): call is CallOf<Name> => call.name === name;
    return this.#calls.filter(isOfStep).map(({ input }) => input);
  }

  /** Waits until the step was called that often. */
  async until(name: StepName, times = 1): Promise<void> {
    await eventually(`${times} calls of ${name}; so far ${this.names().join(', ')}`, () =>
      Promise.resolve(this.count(name) >= times),
    );
  }
}

/** Of the same activity, or of the regular one that follows a local one without an answer. */
function isAnotherAttempt(call: Call, before: Call | undefined): boolean {
  if (call.name !== before?.name || !isDeepStrictEqual(call.input, before.input)) return false;
  const [now, earlier] = [call.info, before.info];
  if (now.workflowExecution?.runId !== earlier.workflowExecution?.runId) return false;
  return now.activityId === earlier.activityId || (earlier.isLocal && !now.isLocal);
}
