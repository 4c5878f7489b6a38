/** How the text after a flag becomes a value. */
import { isIP } from 'node:net';
import type { NamespacedName } from '../../../workflows/contracts/references.ts';
import { parseDuration } from '../../../workflows/api/duration.ts';

export interface Kind<T> {
  /** Stands for the value in the help text; empty for booleans. */
  placeholder: string;
  /** Values that a person may write, as the end of the sentence "allowed: ...". */
  allowed: string;
  /** Undefined when the text is not allowed. */
  parse: (value: string) => T | undefined;
}

const trueWords = new Set(['1', 't', 'T', 'true', 'TRUE', 'True']);
const falseWords = new Set(['0', 'f', 'F', 'false', 'FALSE', 'False']);

/** The words of Go's ParseBool. */
export const boolean: Kind<boolean> = {
  placeholder: '',
  allowed: 'true or false',
  parse: (value) => (trueWords.has(value) ? true : falseWords.has(value) ? false : undefined),
};

export const text: Kind<string> = {
  placeholder: 'TEXT',
  allowed: 'any text',
  parse: (value) => value,
};

export const file: Kind<string> = { ...text, placeholder: 'FILE' };

/** Seconds. */
export const duration: Kind<number> = {
  placeholder: 'DURATION',
  allowed: 'a duration of 0 or more with its unit, like 90s, 20m or 1h30m',
  parse: parseDuration,
};

/** Seconds. */
export function durationBetween(min: string, max: string): Kind<number> {
  const [least = 0, most = Infinity] = [parseDuration(min), parseDuration(max)];
  return {
    ...duration,
    allowed: `a duration from ${min} to ${max}`,
    parse: (value) => {
      const seconds = duration.parse(value);
      return seconds !== undefined && seconds >= least && seconds <= most ? seconds : undefined;
    },
  };
}

export function integer({ min, max = 2 ** 31 - 1 }: { min: number; max?: number }): Kind<number> {
  return {
    placeholder: 'NUMBER',
    allowed: `a whole number from ${min} to ${max}`,
    parse: (value) => {
      const number = /^[+-]?\d+$/.test(value) ? Number(value) : Number.NaN;
      return number >= min && number <= max ? number : undefined;
    },
  };
}

export const rate: Kind<number> = {
  placeholder: 'NUMBER',
  allowed: 'a number of 0 or more, like 20 or 0.5',
  parse: (value) => (/^\+?(\d+(?:\.\d*)?|\.\d+)$/.test(value) ? Number(value) : undefined),
};

export function oneOf<const T extends string>(...words: T[]): Kind<T> {
  return {
    placeholder: words.join('|'),
    allowed: words.join(', '),
    parse: (value) => words.find((word) => word === value),
  };
}

/** Names separated by commas. Blanks around a name and empty names are dropped. */
export const names: Kind<string[]> = {
  placeholder: 'NAME,NAME',
  allowed: 'names separated by commas',
  parse: (value) =>
    value
      .split(',')
      .map((name) => name.trim())
      .filter((name) => name !== ''),
};

const bootstrapGroup = /^system:bootstrappers:[a-z0-9:-]{0,255}[a-z0-9]$/;

/**
 * As the API server wants them in a bootstrap token, separated by commas alone: with one other name
 * it refuses the token, and no Node can join.
 */
export const bootstrapGroups: Kind<string> = {
  placeholder: 'NAME,NAME',
  allowed:
    'names that begin with "system:bootstrappers:", followed by up to 256 lower-case letters, digits, ":" and "-" with a letter or digit at the end, separated by commas',
  parse: (value) => {
    const groups = names.parse(value) ?? [];
    const areAllowed = groups.every((name) => bootstrapGroup.test(name));
    return areAllowed ? groups.join(',') : undefined;
  },
};

/** A name of one DNS label, as Kubernetes wants it for namespaces. */
export const namespaceName: Kind<string> = {
  placeholder: 'NAME',
  allowed: 'at most 63 lower-case letters, digits and "-", with a letter or digit at both ends',
  parse: (value) => (/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/.test(value) ? value : undefined),
};

/** Empty: none. */
export const otherNamespace: Kind<string> = {
  ...namespaceName,
  parse: (value) => (value === '' ? value : namespaceName.parse(value)),
};

/** A name of a Secret or a ConfigMap; empty: none. */
export const secretName: Kind<string> = {
  placeholder: 'NAME',
  allowed:
    'at most 253 lower-case letters, digits, "-" and ".", with a letter or digit at both ends',
  parse: (value) => (/^([a-z0-9]([-.a-z0-9]{0,251}[a-z0-9])?)?$/.test(value) ? value : undefined),
};

/** Empty: see the flag. */
export const namespacedName: Kind<NamespacedName | ''> = {
  placeholder: 'NAMESPACE/NAME',
  allowed: 'the name of a namespace, "/" and a name in it, like kube-system/machine-controller',
  parse: (value) => {
    if (value === '') return value;
    const [namespace = '', name = '', ...more] = value.split('/');
    const isAllowed = namespaceName.parse(namespace) && name !== '' && secretName.parse(name);
    return isAllowed && more.length === 0 ? { namespace, name } : undefined;
  },
};

/** A part of an id in Temporal, whose parts are separated by "/". */
export const namePart: Kind<string> = {
  placeholder: 'NAME',
  allowed: 'at most 63 letters, digits, "-", "_" and "."',
  parse: (value) => (/^[-\w.]{0,63}$/.test(value) ? value : undefined),
};

/** Temporal separates it from a build id by "." or ":". */
export const deploymentName: Kind<string> = {
  placeholder: 'NAME',
  allowed: 'at most 200 letters, digits, "-" and "_"',
  parse: (value) => (/^[-\w]{0,200}$/.test(value) ? value : undefined),
};

export const ipAddress: Kind<string> = {
  placeholder: 'IP',
  allowed: 'an IPv4 or IPv6 address, like 0.0.0.0 or ::1',
  parse: (value) => (isIP(value) === 0 ? undefined : value),
};

/** `host:port`; empty means that the environment or the default decides. */
export const hostAndPort: Kind<string> = {
  placeholder: 'HOST:PORT',
  allowed: 'a host and a port, like 127.0.0.1:7233',
  parse: (value) =>
    /^(|[^\s/:]+:\d{1,5}|\[[0-9a-fA-F:.]+\]:\d{1,5})$/.test(value) ? value : undefined,
};
