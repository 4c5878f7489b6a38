import { Fields } from './fields.ts';

export interface Settings {
  /** From the creation of a virtual machine until it registers its Node. Default 1. */
  bootSeconds: number;
  /** How long each call of a cloud operation takes. Default 50. */
  callMilliseconds: number;
}

export const defaultSettings: Settings = { bootSeconds: 1, callMilliseconds: 50 };

/** Fields that are absent keep their value. */
export function parseSettings(body: unknown, current: Settings): Settings {
  const fields = new Fields(body).allow('bootSeconds', 'callMilliseconds');
  return {
    bootSeconds: fields.number('bootSeconds', { min: 0, max: 86_400 }) ?? current.bootSeconds,
    callMilliseconds:
      fields.number('callMilliseconds', { min: 0, max: 60_000 }) ?? current.callMilliseconds,
  };
}
