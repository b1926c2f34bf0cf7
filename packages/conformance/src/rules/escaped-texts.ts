import { parseJson } from '@pawl/base/parse-json'
import type { Call } from '@pawl/testing/lines/line'
import { textsOf } from './stale-records.ts'

/** Whether a form, XML or CSV request contains a text of the resource with unescaped delimiters, such as `&` in a form. */
export function isCutShort({ system, path, headers, body }: Call, resource: string): boolean {
  const type = headers['content-type'] ?? ''
  const query = system === 'own' ? (path.split('?')[1] ?? '') : ''
  const isForm = /x-www-form-urlencoded/.test(type)
  const isXml = /\bxml\b|\bhtml\b/.test(type)
  const isCsv = /\bcsv\b/.test(type)
  if (query === '' && !isForm && !isXml && !isCsv) return false
  const texts = [...new Set(textsOf(parseJson(resource)).values())]
  const holds = (signs: RegExp, text: string) => signs.test(text) && body.includes(text)
  return texts.some(
    (text) =>
      (isForm && isCutIn(body, text)) ||
      (query !== '' && isCutIn(query, text)) ||
      (isXml && !body.includes('<![CDATA[') && holds(/[&<]/, text)) ||
      (isCsv && holds(/"/, text)),
  )
}

/** Whether the form contains the text, but none of its fields decodes to the text. */
function isCutIn(form: string, text: string): boolean {
  if (!/[&=+#]/.test(text)) return false
  // decodeURI keeps escapes of these signs.
  const shown = [form, form.replaceAll('+', ' ')].map((each) => readEscapes(each))
  return (
    shown.some((each) => each.includes(text)) &&
    ![...new URLSearchParams(form).values()].some((each) => each.includes(text))
  )
}

function readEscapes(text: string): string {
  try {
    return decodeURI(text)
  } catch {
    return text
  }
}
