// What a name may hold, as internal/match decides it; this says it at each key and not only after sending. What a client
// seed may hold is known to the verifier.

export const LONGEST_NAME = 40;

/**
 * Whether a name can be shown as it is: no control, format (bidi among them), private or line-breaking characters.
 * @param {string} name
 */
export function nameFits(name) {
  return [...name].length <= LONGEST_NAME && !/[\p{C}\p{Zl}\p{Zp}]|(?! )\p{Zs}/u.test(name);
}
