import { Listr, PRESET_TIMER, type ListrTaskWrapper, type DefaultRenderer } from 'listr2';
import { deferred, type Deferred } from './supervision/deferred.ts';
import type { SupervisorMessage } from './supervision/messages.ts';

/** Shows how the start goes. */
export interface StartView {
  show: (message: SupervisorMessage) => void;
  /** Resolves when the last line of the steps is drawn. */
  close: () => Promise<void>;
}

/** A list of tasks on a terminal; plain lines elsewhere and in CI. */
export function startView(): StartView {
  const isTerminal = process.stdout.isTTY && process.env['CI'] === undefined;
  return isTerminal ? new TaskList() : plainLines();
}

/** A line at least that often while something is built, so that no CI thinks that it hangs. */
const reminderMs = 30_000;

export function plainLines(print: (line: string) => void = console.log): StartView {
  const startedAt = Date.now();
  const elapsed = (): string => `${((Date.now() - startedAt) / 1000).toFixed(1)} s`.padStart(7);
  const busy = new Map<string, string>();
  const reminder = setInterval(() => {
    for (const [step, text] of busy) print(`${elapsed()}  ${step}: still ${text}`);
  }, reminderMs);
  reminder.unref();
  return {
    show: (message) => {
      if (message.type === 'news') print(`${elapsed()}  ${message.text}`);
      if (!('step' in message)) return;
      if (message.type === 'step') busy.set(message.step, message.text);
      else busy.delete(message.step);
      const mark = message.type === 'stepFailed' ? ' FAILED' : '';
      print(`${elapsed()}  ${message.step}${mark}: ${doneText(message)}`);
    },
    close: () => {
      clearInterval(reminder);
      return Promise.resolve();
    },
  };
}

function doneText({ type, text }: { type: string; text: string }): string {
  return type === 'stepDone' ? `ready ${text}`.trimEnd() : text;
}

type Task = ListrTaskWrapper<unknown, typeof DefaultRenderer, never>;

/** One task per step; a step's task waits until the supervisor says that it is done. */
class TaskList implements StartView {
  readonly #steps = new Map<string, Deferred<string>>();
  readonly #tasks = new Map<string, Task>();
  readonly #news: string[] = [];
  #drawn: Promise<unknown> = Promise.resolve();

  show(message: SupervisorMessage): void {
    switch (message.type) {
      case 'plan':
        this.#draw(message.steps);
        break;
      case 'step':
        this.#note(message.step, message.text);
        break;
      case 'stepDone':
        this.#steps.get(message.step)?.resolve(message.text);
        break;
      case 'stepFailed':
        this.#steps.get(message.step)?.reject(new Error(message.text));
        break;
      case 'news':
        this.#news.push(message.text);
        break;
      case 'failed':
        for (const step of this.#steps.values()) step.reject(new Error('not started'));
        break;
      case 'ready':
      case 'alreadyRunning':
        break;
    }
  }

  async close(): Promise<void> {
    await this.#drawn;
    for (const line of this.#news.splice(0)) console.log(line);
  }

  #draw(steps: readonly string[]): void {
    for (const step of steps) this.#steps.set(step, deferred());
    const list = new Listr(
      steps.map((step) => ({
        title: step,
        task: async (_context: unknown, task: unknown) => {
          this.#tasks.set(step, task as Task);
          const text = await this.#steps.get(step)?.promise;
          (task as Task).title = `${step} ${text ?? ''}`.trimEnd();
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

  /** kubectl is fetched for a job of another name: news of a step that is not listed go below the list. */
  #note(step: string, text: string): void {
    const task = this.#tasks.get(step);
    if (task === undefined) this.#news.push(`${step}: ${text}`);
    else task.output = text;
  }
}
