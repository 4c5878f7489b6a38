/** Which set had all machines of a deployment last: to go back to it is no rollout of its own. */
import { conditionOf, isDeleting } from '../objects.ts';
import type { ClusterPast } from '../past/cluster-past.ts';
import type { Life } from '../past/lives.ts';
import { isOfTemplate } from '../templates.ts';

const rolledBackFrom = 'millwright.dev/rolled-back-from';

export class FinishedSets {
  readonly #past: ClusterPast;
  /** UID of a set, by that of its deployment. */
  readonly #finished = new Map<string, string>();

  constructor(past: ClusterPast) {
    this.#past = past;
    past.deployments.present().forEach((life) => this.#hear(life));
    past.deployments.listen((life) => this.#hear(life));
  }

  /** By itself, or because a person asked for the template of before. */
  isGoingBack({ uid, states }: Life, since: number): boolean {
    const finished = this.#past.sets.of(this.#finished.get(uid));
    return states.since(since).some((deployment) => {
      if (!deployment) return false;
      const isOfItself = deployment.metadata.annotations?.[rolledBackFrom] !== undefined;
      return isOfItself || (finished !== undefined && isOfTemplate(finished.last, deployment));
    });
  }

  #hear({ uid, object }: Life): void {
    if (!object || isDeleting(object)) return;
    const { status, metadata } = object;
    const { reason } = conditionOf(object, 'Progressing') ?? {};
    const isOfSpec = status?.observedGeneration === metadata.generation;
    if (reason !== 'NewMachineSetAvailable' || !isOfSpec) return;
    const whole = [...this.#past.sets.ownedBy(uid)].find(
      ({ last }) => (last.spec?.replicas ?? 0) > 0 && isOfTemplate(last, object),
    );
    if (whole) this.#finished.set(uid, whole.uid);
  }
}
