/** Options that every command has. */

export interface Common {
  /** Undefined: that of the kubeconfig's context. */
  namespace: string | undefined;
  /** Empty: the file that kubectl reads. */
  kubeconfig: string;
  isJson: boolean;
}
