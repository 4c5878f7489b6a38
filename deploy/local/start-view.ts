import type { StartView } from './progress-view.ts';
import { TaskList } from './task-list.ts';

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
