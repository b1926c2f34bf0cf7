/** Invisible characters that affect the text around them: control characters, and formats such as direction overrides. */
const hiddenInLine = /(?!\t)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu
const hidden = /(?!\r?\n|\t)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu

/** Replaces invisible characters with their JSON escapes (`\u202e`), so that foreign text can neither control a terminal nor mislead. Keeps tabs and, unless `isLine`, line breaks. */
export function showHidden(text: string, { isLine = false } = {}): string {
  return text.replaceAll(isLine ? hiddenInLine : hidden, (character) =>
    Array.from(
      { length: character.length },
      (_, at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`,
    ).join(''),
  )
}
