/** What the judge says: once for each rule and subject, so that one defect fills no report. */
import type { Simulation } from '../engine/simulation.ts';

export type Rule =
  | 'one instance for a token'
  | 'one living instance for a Machine'
  | 'an instance is made for a Machine'
  | 'a living Machine keeps its instance'
  | 'an instance goes with its Machine or as an orphan'
  | 'few orphans go at once'
  | 'nothing of another install is touched'
  | 'nothing happens during a stop'
  | 'nothing happens without a leader'
  | 'a living Machine keeps its Node'
  | 'a Node goes after its instance'
  | 'a Machine goes after its instance'
  | 'a Machine goes after its Node'
  | 'a Machine is deleted for a reason'
  | 'a set makes no more than its replicas'
  | 'a Machine is made by a set'
  | 'a set is made by a deployment'
  | 'a set is deleted for a reason'
  | 'an owner goes after what it owns'
  | 'what is in use is protected'
  | 'only what is named here is deleted'
  | 'a Machine fails only when its time is up'
  | 'never more than replicas and surge'
  | 'never fewer than maxUnavailable allows'
  | 'no secret leaves'
  | 'every wait has a reason'
  | 'every wait has an end'
  | 'a Machine runs when its Node is ready'
  | 'a Machine shows that its Node is ill'
  | 'a Machine that does not join fails'
  | 'a Machine that is deleted goes'
  | 'a drain that fails says so'
  | 'a mended class is heard of at once'
  | 'what goes with the size of its set is not replaced'
  | 'a deployment gets its machines'
  | 'a set gets its machines'
  | 'a Failed Machine is replaced'
  | 'a status follows its spec'
  | 'a deployment says what its sets say'
  | 'a workflow rests between its steps'
  | 'only the Node of a Machine that goes is drained'
  | 'a rollout is overdue only when its time is up'
  | 'no work fails because a worker ends'
  | 'a Machine runs only when its instance is initialised'
  | 'a set is frozen only when it makes too many'
  | 'pods go by force only when the time is up'
  | 'an instance goes after its drain'
  | 'a hook holds its instance'
  | 'a hook holds its drain'
  | 'a history stays short'
  | 'an attempt that is over writes no more'
  | 'nothing is taken while a policy is closed'
  | 'machines are taken by a grant'
  | 'no more are on their way than a policy allows'
  | 'a deployment rolls when it has its turn'
  | 'a deployment says which policy it waits for'
  | 'a rollout does not wait for a policy that is open'
  | 'a turn is given back'
  | 'no more are updated at once than maxUnavailable allows'
  | 'a Node is selected while it may be'
  | 'a machine moves when it is updated'
  | 'an update in place keeps its machines'
  | 'an update in place makes no machine'
  | 'an update fails when the agent says so or its time is up'
  | 'a machine is not judged while it is updated'
  | 'a failed update that stops a rollout replaces nothing'
  | 'an update in place gets on'
  | 'a Node is open again after its update';

export class Rulings {
  readonly #simulation: Pick<Simulation, 'violate'>;
  readonly #said = new Set<string>();

  constructor(simulation: Pick<Simulation, 'violate'>) {
    this.#simulation = simulation;
  }

  /** @param subject What broke the rule, e.g. a UID. */
  against(rule: Rule, subject: string, text: string): void {
    const key = `${rule} ${subject}`;
    if (this.#said.has(key)) return;
    this.#said.add(key);
    this.#simulation.violate(rule, text);
  }
}
