/** What an engine would start, and how. */
export interface Image {
  root: string;
  workdir: string;
  user: { uid: number; gid: number } | undefined;
  env: Readonly<Record<string, string>>;
  entrypoint: readonly string[];
  cmd: readonly string[];
  stopSignal: string | undefined;
}
