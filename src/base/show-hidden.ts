/** Characters that change what stands beside them without being seen: control characters, and formats such as those that turn the direction of text round. */
const hidden = /(?!\r?\n|\t)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu

/** The text with such characters as their escapes in JSON (`\u202e`), line breaks and tabs apart: what somebody else chose must not steer a terminal, nor read as what it is not. */
export function showHidden(text: string): string {
  return text.replaceAll(hidden, (character) =>
    Array.from(
      { length: character.length },
      (_, at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`,
    ).join(''),
  )
}
