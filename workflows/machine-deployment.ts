import {
  CancellationScope,
  condition,
  continueAsNew,
  setCurrentDetails,
  setHandler,
} from '@temporalio/workflow';
import type { Following } from './following.ts';
import { follow, followGone } from './following.ts';
import type { EntityInput, Sighting } from './messages.ts';
import {
  machineDeploymentGone,
  machineDeploymentObserved,
  machineSetsChanged,
  stateQuery,
} from './messages.ts';
import type { DeploymentStep, DeploymentSurvey } from './plan/machine-deployment.ts';
import { planMachineDeployment } from './plan/machine-deployment.ts';
import { isOfOurCluster } from './own-cluster.ts';
import { mustRenew } from './renewal.ts';
import { setDetails } from './set-details.ts';
import { shortStep } from './steps.ts';

export interface MachineDeploymentState extends Following {
  version: 1;
  survey?: DeploymentSurvey;
}

export interface MachineDeploymentInput extends EntityInput {
  state?: MachineDeploymentState;
}

/** One execution per MachineDeployment: keeps one MachineSet of its template at its size. */
export async function machineDeployment(
  input: MachineDeploymentInput,
): Promise<{ reason: string }> {
  return await new MachineDeploymentLife(input).live();
}

class MachineDeploymentLife {
  readonly #input: MachineDeploymentInput;
  readonly #state: MachineDeploymentState;
  #mustSurvey = true;

  constructor(input: MachineDeploymentInput) {
    this.#input = input;
    this.#state = input.state ?? { version: 1, isGone: false };
    this.#listen();
  }

  /** Not cancellable from outside: nothing else would act for this object. */
  async live(): Promise<{ reason: string }> {
    return await CancellationScope.nonCancellable(async () => {
      for (;;) {
        if (this.#mustSurvey && !this.#state.isGone) await this.#survey();
        if (this.#state.isGone) return await this.#complete();
        const step = this.#plan();
        if (step.action === 'wait') await this.#wait();
        else await this.#apply(step);
      }
    });
  }

  async #survey(): Promise<void> {
    this.#mustSurvey = false;
    const { ref } = this.#input;
    const state = this.#state;
    const input = { deployment: ref };
    const summary = `read MachineDeployment ${ref.name}`;
    const outcome = await shortStep((steps) => steps.surveyMachineDeployment(input), summary);
    if (!outcome.found || (state.uid !== undefined && outcome.uid !== state.uid)) {
      state.isGone = true;
      return;
    }
    state.uid = outcome.uid;
    state.survey = outcome.survey;
  }

  #plan(): DeploymentStep {
    const { survey } = this.#state;
    if (!survey) return { action: 'wait', reason: 'not read yet' };
    const step = planMachineDeployment(survey);
    const { ref } = this.#input;
    const facts = survey.sets.map(
      (set) =>
        `**Below:** workflow \`machineSet/${ref.namespace}/${set.name}\`, ${set.replicas} replicas`,
    );
    setCurrentDetails(setDetails({ kind: 'MachineDeployment', ref, next: step.reason, facts }));
    return step;
  }

  async #wait(): Promise<void> {
    const { ref, cluster } = this.#input;
    if (mustRenew()) {
      await continueAsNew<typeof machineDeployment>({ ref, cluster, state: this.#state });
    }
    await condition(() => this.#mustSurvey || this.#state.isGone);
  }

  async #apply(step: Exclude<DeploymentStep, { action: 'wait' }>): Promise<void> {
    const deployment = { ...this.#input.ref, uid: this.#state.uid ?? '' };
    const input = { deployment, step };
    await shortStep((steps) => steps.applyDeploymentStep(input), step.reason);
    this.#mustSurvey = true;
    if (step.action === 'release') this.#state.isGone = true;
  }

  async #complete(): Promise<{ reason: string }> {
    const { ref, cluster } = this.#input;
    if (this.#state.successor) await continueAsNew<typeof machineDeployment>({ ref, cluster });
    return { reason: 'the MachineDeployment is gone' };
  }

  #listen(): void {
    const state = this.#state;
    setHandler(stateQuery, () => state);
    setHandler(machineDeploymentObserved, (seen) => this.#note(seen, () => follow(state, seen)));
    setHandler(machineDeploymentGone, (gone) => this.#note(gone, () => followGone(state, gone)));
    setHandler(machineSetsChanged, (seen) => this.#note(seen, () => true));
  }

  #note(signal: Sighting, observe: () => boolean): void {
    if (isOfOurCluster(signal, this.#input) && observe()) this.#mustSurvey = true;
  }
}
