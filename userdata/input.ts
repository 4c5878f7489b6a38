/** What a rendering is made from. */
import type { UserDataConfig } from './config.ts';
import type { Profile } from './profile.ts';

export interface UserDataInput {
  profile: Profile;
  config: UserDataConfig;
  /** `provider` of the class, such as `AWS`. */
  provider: string;
}

export interface MachineValues {
  machineName: string;
  /** `ID.SECRET`. */
  bootstrapToken: string;
  /** Data of the Secrets that the config names, decoded, by name and key. */
  secrets: Readonly<Record<string, Readonly<Record<string, string>>>>;
}
