/** What a workflow asked of the world, in order. */
import type {
  DrainActivities,
  DriverActivities,
  KubeActivities,
} from '../../workflows/activities.ts';
import { eventually } from './eventually.ts';

export type Steps = KubeActivities & DriverActivities & DrainActivities;
export type StepName = keyof Steps;
type InputOf<Name extends StepName> = Parameters<Steps[Name]>[0];

export class CallLog {
  readonly #calls: { name: string; input: unknown }[] = [];

  /** The same steps, each call noted before it runs. */
  record<Some extends Partial<Steps>>(steps: Some): Some {
    const recorded = Object.entries(steps).map(([name, step]) => [
      name,
      async (input: never) => {
        this.#calls.push({ name, input });
        return await step(input);
      },
    ]);
    return Object.fromEntries(recorded) as Some;
  }

  names(): string[] {
    return this.#calls.map(({ name }) => name);
  }

  count(name: StepName): number {
    return this.inputsOf(name).length;
  }

  inputsOf<Name extends StepName>(name: Name): InputOf<Name>[] {
    const calls = this.#calls.filter((call) => call.name === name);
    return calls.map(({ input }) => input as InputOf<Name>);
  }

  /** Waits until the step was called that often. */
  async until(name: StepName, times = 1): Promise<void> {
    await eventually(`${times} calls of ${name}; so far ${this.names().join(', ')}`, () =>
      Promise.resolve(this.count(name) >= times),
    );
  }
}
