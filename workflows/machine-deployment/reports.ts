/** What a rollout says of itself: on its page, in search attributes, traces, Events and the log. */
import { log } from '@temporalio/workflow';
import type { NamespacedName, ObjectReference, WorkflowInput } from '../contracts/references.ts';
import type { OperationView } from '../contracts/tracing.ts';
import type { DeploymentFacts } from '../plan/machine-deployment/rollout/facts.ts';
import type {
  DeploymentPlan,
  DeploymentStep,
  Report,
} from '../plan/machine-deployment/rollout/steps.ts';
import { localFirst } from '../runtime/activity-options.ts';
import type { Page } from '../runtime/page.ts';
import { defined } from '../values/defined.ts';
import type { RolloutFacts, RolloutView } from './details.ts';
import { rolloutDetails, rolloutView } from './details.ts';
import { showRollout } from './search-attributes.ts';
import type { MachineDeploymentState } from './state.ts';
import { errorsIn } from './state.ts';

export class RolloutReports {
  readonly #input: WorkflowInput;
  readonly #state: MachineDeploymentState;
  readonly #page: Page;
  /** What the log knows; a deployment that is complete from the start gets no line. */
  #loggedState: DeploymentPlan['state'] = 'Complete';

  constructor(input: WorkflowInput, state: MachineDeploymentState, page: Page) {
    this.#input = input;
    this.#state = state;
    this.#page = page;
  }

  show(facts: DeploymentFacts, plan: DeploymentPlan): void {
    const { ref, operations } = this.#input;
    const state = this.#state;
    const text = `${plan.state}: ${plan.reason}`;
    if (state.shown?.text !== text) state.shown = { text, since: Date.now() };
    this.#page.show(rolloutDetails(ref, this.#rollout(facts, plan)));
    if (plan.state !== this.#loggedState) {
      this.#loggedState = plan.state;
      // In the log: docs/logs.md.
      log.info(`the rollout is ${plan.state}`, { ...this.#named(), reason: plan.reason });
    }
    operations?.follow(() => operationOf(ref, plan));
    showRollout({ plan, className: facts.className, since: state.shown.since });
  }

  view(facts: DeploymentFacts, plan: DeploymentPlan): RolloutView {
    return rolloutView(this.#rollout(facts, plan));
  }

  noteDone(steps: readonly DeploymentStep[]): void {
    for (const { action, reason } of steps) {
      log.info(reason, { ...this.#named(), action });
      this.#input.operations?.note(`${action}: ${reason}`);
    }
  }

  /** An Event of what a plan reports, when it changes. */
  async follow(report: Report | undefined): Promise<void> {
    const state = this.#state;
    const text = report && `${report.reason}: ${report.message}`;
    if (text === state.reported) return;
    if (text === undefined) delete state.reported;
    else state.reported = text;
    if (report) await this.write(report);
  }

  async write(report: Report): Promise<void> {
    const input = { deployment: this.deployment, report };
    await localFirst((steps) => steps.reportDeployment(input), report.reason);
  }

  get deployment(): ObjectReference {
    return { ...this.#input.ref, uid: this.#state.uid ?? '' };
  }

  #rollout(facts: DeploymentFacts, plan: DeploymentPlan): RolloutFacts {
    const { shown } = this.#state;
    const since = shown?.since ?? Date.now();
    return defined({ facts, plan, since, lastError: errorsIn(this.#state) });
  }

  #named(): { machineDeployment: string } {
    const { namespace, name } = this.#input.ref;
    return { machineDeployment: `${namespace}/${name}` };
  }
}

/** For traces: docs/tracing.md. */
function operationOf(
  { namespace, name }: NamespacedName,
  { state }: DeploymentPlan,
): OperationView {
  return {
    name: state === 'Complete' ? undefined : 'rollout',
    phase: state,
    isFailed: false,
    attributes: { 'k8s.namespace.name': namespace, 'millwright.machine_deployment': name },
  };
}
