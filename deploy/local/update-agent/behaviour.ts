import { parseDuration } from '../../../workflows/api/duration.ts';
import type { UpdateResult } from '../../../workflows/api/in-place.ts';

/**
 * Annotation of a Node: words of `allowedWords`, separated by commas, such as `failed` or
 * `late=2m,deletes-pods`. Absent or empty: `successful`.
 */
export const behaviourAnnotation = 'local.millwright.dev/update-agent';

/** What the agent on a Node does when its time has come. */
export interface AgentBehaviour {
  /** The second follows when the Node says that its update failed. None: it never answers. */
  answers: readonly UpdateResult[];
  /** Of a failed update. */
  failedReason: string;
  /** It does not wait for the drain: to be selected is enough. */
  isEarly: boolean;
  /** It dies once in the middle of its work, and begins anew. */
  dies: boolean;
  deletesPods: boolean;
  workMs: number;
  /** So long the Node is not Ready in the middle of the work. 0: it does not reboot. */
  rebootMs: number;
}

const answers = {
  successful: ['successful'],
  failed: ['failed'],
  'failed-then-successful': ['failed', 'successful'],
  never: [],
} as const satisfies Record<string, readonly UpdateResult[]>;

const allowedWords = [
  ...Object.keys(answers),
  'late=DURATION',
  'reboots=DURATION',
  'early',
  'dies',
  'deletes-pods',
].join(', ');

const usual: AgentBehaviour = {
  answers: answers.successful,
  failedReason: 'the update agent was told to fail',
  isEarly: false,
  dies: false,
  deletesPods: false,
  workMs: 1_000,
  rebootMs: 0,
};

/** Throws an Error that names the annotation, the word and what is allowed. */
export function parseBehaviour(text = ''): AgentBehaviour {
  const words = text.split(',').map((word) => word.trim());
  const parts = words.filter((word) => word !== '').map(partOf);
  if (parts.filter((part) => part.answers !== undefined).length > 1) {
    throw new Error(
      `${behaviourAnnotation}: "${text}" has more than one of ${Object.keys(answers).join(', ')}`,
    );
  }
  return Object.assign({}, usual, ...parts);
}

function partOf(word: string): Partial<AgentBehaviour> {
  const [name, amount] = word.split('=', 2);
  const seconds = amount === undefined ? undefined : parseDuration(amount);
  if (seconds !== undefined && name === 'late') return { workMs: seconds * 1_000 };
  if (seconds !== undefined && name === 'reboots') return { rebootMs: seconds * 1_000 };
  if (word === 'early') return { isEarly: true };
  if (word === 'dies') return { dies: true };
  if (word === 'deletes-pods') return { deletesPods: true };
  if (isAnswer(word)) return { answers: answers[word] };
  throw new Error(
    `${behaviourAnnotation}: "${word}" is not allowed; allowed, separated by commas: ${allowedWords} (such as 90s)`,
  );
}

const isAnswer = (word: string): word is keyof typeof answers => Object.hasOwn(answers, word);

/** For an annotation with an unknown word: the update fails, with the error as its reason. */
export function behaviourOf(text: string | undefined): AgentBehaviour {
  try {
    return parseBehaviour(text);
  } catch (error) {
    const failedReason = error instanceof Error ? error.message : String(error);
    return { ...usual, answers: answers.failed, failedReason };
  }
}
