import type { StartView } from './progress-view.ts';
import { TaskList } from './task-list.ts';

/** A list of tasks on a terminal; plain lines elsewhere and in CI. */
export function startView(): StartView {
  const isTerminal = process.stdout.isTTY && process.env['CI'] === undefined;
  return isTerminal ? new TaskList() : plainLines();
}

/** A line at least that often while something is built, so that no CI thinks that it hangs. */
const reminderMs = 30_000;

const secondsSince = (at: number): string => `${((Date.now() - at) / 1000).toFixed(1)} s`;

export function plainLines(print: (line: string) => void = console.log): StartView {
  const startedAt = Date.now();
  const elapsed = (): string => secondsSince(startedAt).padStart(7);
  const busy = new Map<string, { text: string; since: number }>();
  const reminder = setInterval(() => {
    for (const [step, { text, since }] of busy) {
      print(`${elapsed()}  ${step}: for ${secondsSince(since)} ${text}`);
    }
  }, reminderMs);
  reminder.unref();
  return {
    show: (message) => {
      if (message.type === 'news') print(`${elapsed()}  ${message.text}`);
      if (!('step' in message)) return;
      if (message.type === 'step') {
        busy.set(message.step, { text: message.text, since: Date.now() });
      } else busy.delete(message.step);
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
