import { Listr, PRESET_TIMER } from 'listr2';
import type { StartView } from './progress-view.ts';
import type { SupervisorMessage } from './supervision/messages.ts';

/**
 * The start as a list on a terminal: one task per step, which waits until the supervisor says that
 * it is done.
 */
export class TaskList implements StartView {
  readonly #steps = new Map<string, PromiseWithResolvers<string>>();
  /** How to write below a task; known once the list runs. */
  readonly #notes = new Map<string, (text: string) => void>();
  readonly #news: string[] = [];
  #drawn: Promise<unknown> = Promise.resolve();

  show(message: SupervisorMessage): void {
    if (message.type === 'plan') this.#draw(message.steps);
    if (message.type === 'news') this.#news.push(message.text);
    if (message.type === 'step') this.#notes.get(message.step)?.(message.text);
    if (message.type === 'stepDone') this.#steps.get(message.step)?.resolve(message.text);
    if (message.type === 'stepFailed') {
      this.#steps.get(message.step)?.reject(new Error(message.text));
    }
  }

  async close(): Promise<void> {
    // Without effect on steps that are done: only a start that was broken off has others.
    for (const step of this.#steps.values()) step.reject(new Error('not ready'));
    await this.#drawn;
    for (const line of this.#news.splice(0)) console.log(line);
  }

  #draw(steps: readonly string[]): void {
    for (const step of steps) this.#steps.set(step, neverUnhandled(Promise.withResolvers()));
    const list = new Listr<unknown>(
      steps.map((step) => ({
        title: step,
        task: async (_context, task) => {
          this.#notes.set(step, (text) => {
            task.output = text;
          });
          const text = await this.#steps.get(step)?.promise;
          task.title = `${step} ${text ?? ''}`.trimEnd();
        },
      })),
      {
        concurrent: true,
        exitOnError: false,
        registerSignalListeners: false,
        rendererOptions: { timer: PRESET_TIMER, collapseErrors: false },
      },
    );
    this.#drawn = list.run();
  }
}

/** A step can fail before the list waits for it. */
function neverUnhandled(step: PromiseWithResolvers<string>): PromiseWithResolvers<string> {
  step.promise.catch(() => undefined);
  return step;
}
