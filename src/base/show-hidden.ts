/** Invisible characters that affect the text around them: control characters, and formats such as direction overrides. */
const hidden = /(?!\r?\n|\t)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu

/** Replaces such characters, except line breaks and tabs, by their JSON escapes (`\u202e`), so that foreign text can neither control a terminal nor mislead. */
export function showHidden(text: string): string {
  return text.replaceAll(hidden, (character) =>
    Array.from(
      { length: character.length },
      (_, at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`,
    ).join(''),
  )
}
