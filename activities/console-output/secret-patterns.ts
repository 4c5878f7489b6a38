/**
 * Patterns of secrets in a text of which nothing is known. Each pattern is of bounded length,
 * so that no text makes it slow.
 */

interface Pattern {
  /** With the flags `d` and `g`. Its group `secret` is hidden; without one, all of the match. */
  expression: RegExp;
  /** Default: every match. */
  isSecret?: (match: string) => boolean;
}

/** One word, or all of what stands in quotes. */
const value = String.raw`(?<secret>"[^"\n]{0,4000}"|'[^'\n]{0,4000}'|[^\s"',;&][^\s,;&]{0,4000})`;
const name = String.raw`(?:passw(?:or)?d|passphrase|token|secret|credentials?|signature|sig|key)[\w.-]{0,40}["']?`;

/** 40 is what a secret key of AWS has; a digest in hexadecimal digits is none. */
const hasMixedCharacters = (run: string): boolean =>
  /\d/.test(run) && /[A-Z]/.test(run) && /[a-z]/.test(run);

export const secretPatterns: readonly Pattern[] = [
  // To its end; one that was cut off in between, to the end of the text.
  {
    expression:
      /-----BEGIN [A-Z0-9 ]{1,60}-----[\s\S]*?(?:-----END [A-Z0-9 ]{1,60}-----|$(?![\s\S]))/dg,
  },
  // Bootstrap tokens of kubeadm.
  { expression: /(?<![a-z0-9])[a-z0-9]{6}\.[a-z0-9]{16}(?![a-z0-9])/dg },
  // JSON Web Tokens, which begin with `{"` in base64.
  { expression: /eyJ[\w-]{4,2000}\.[\w-]{4,8000}(?:\.[\w-]{0,2000})?/dg },
  { expression: /(?:A3T[A-Z0-9]|AKIA|ASIA)[A-Z0-9]{16}/dg },
  { expression: new RegExp(String.raw`${name}[ \t]{0,3}=[ \t]{0,3}${value}`, 'dgi') },
  { expression: new RegExp(String.raw`--?[\w-]{0,40}${name}[ \t]{1,3}${value}`, 'dgi') },
  // A colon also stands before words: `failed to get token: Unauthorized` stays.
  {
    expression: new RegExp(String.raw`${name}[ \t]{0,3}:[ \t]{0,3}${value}`, 'dgi'),
    isSecret: (match) => /^["'\s]?passw/i.test(match) || /\d/.test(match.slice(match.indexOf(':'))),
  },
  { expression: /\b(?:bearer|basic)[ \t]{1,3}(?<secret>[\w.~+/=-]{8,8000})/dgi },
  { expression: /:\/\/[^\s:/@]{0,200}:(?<secret>[^\s/@]{1,200})@/dg },
  // Keys and certificates whose first line is not there.
  { expression: /[A-Za-z0-9+/]{40,8000}={0,2}/dg, isSecret: hasMixedCharacters },
];
