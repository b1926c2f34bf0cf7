/** A valid one-page PDF of these lines; characters beyond printable ASCII become `?`. */
export function minimalPdf(lines: readonly string[]): Buffer {
  const text = lines.map((line) => `(${escaped(line)}) Tj T*`).join('\n')
  const stream = `BT /F1 14 Tf 20 TL 72 720 Td\n${text}\nET`
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>',
    `<< /Length ${stream.length} >>\nstream\n${stream}\nendstream`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
  ]
  let file = '%PDF-1.4\n'
  // Readers find each object by its byte offset.
  const offsets = objects.map((object, index) => {
    const offset = file.length
    file += `${index + 1} 0 obj\n${object}\nendobj\n`
    return `${String(offset).padStart(10, '0')} 00000 n \n`
  })
  const size = objects.length + 1
  const table = `xref\n0 ${size}\n0000000000 65535 f \n${offsets.join('')}`
  return Buffer.from(`${file}${table}trailer\n<< /Size ${size} /Root 1 0 R >>\nstartxref\n${file.length}\n%%EOF\n`)
}

function escaped(line: string): string {
  return line.replaceAll(/[^\x20-\x7e]/g, '?').replaceAll(/[\\()]/g, String.raw`\$&`)
}
