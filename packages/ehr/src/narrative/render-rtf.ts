import type { Narrative, Section } from './narrative.ts'
import { printable } from './render-text.ts'

/** US Letter with margins of three quarters of an inch, in twentieths of a point. */
const page = String.raw`\paperw12240\paperh15840\margl1080\margr1080\margt1080\margb1080`
const labelWidth = 2880

/** A narrative as Rich Text (RTF 1.9), in ASCII alone: other characters are written as their UTF-16 units. */
export function renderRtf({ title, lead, sections }: Narrative): string {
  const fonts = String.raw`{\fonttbl{\f0\fswiss\fcharset0 Arial;}}`
  return [
    String.raw`{\rtf1\ansi\ansicpg1252\deff0\uc1${fonts}{\info{\title ${escape(title)}}}${page}\f0\fs20`,
    paragraph(String.raw`\sa120\b\fs28`, title),
    ...(lead === '' ? [] : [paragraph(String.raw`\sa120\b\fs22`, lead)]),
    ...sections.flatMap(linesOf),
    '}\n',
  ].join('\n')
}

function linesOf({ heading, rows = [], paragraphs = [] }: Section): string[] {
  return [
    ...(heading === '' ? [] : [paragraph(String.raw`\keepn\sb200\sa60\brdrb\brdrs\brdrw10\b\fs22`, heading)]),
    ...rows.map(([label, value]) => {
      const hanging = String.raw`\li${labelWidth}\fi-${labelWidth}\tx${labelWidth}\sa20`
      return String.raw`{\pard${hanging} ${escape(label)}:\tab ${escape(value)}\par}`
    }),
    ...paragraphs.map((each) => paragraph(String.raw`\sa80`, each)),
  ]
}

function paragraph(style: string, text: string): string {
  return String.raw`{\pard${style} ${escape(text)}\par}`
}

function escape(text: string): string {
  return printable(text)
    .replaceAll(/[\\{}]/g, String.raw`\$&`)
    .replaceAll('\n', String.raw`\line `)
    .replaceAll('\t', String.raw`\tab `)
    .replaceAll(/[^\0-\x7f]/g, (unit) => String.raw`\u${signed(unit.charCodeAt(0))}\'3f`)
}

/** RTF numbers are of 16 bits with a sign. */
function signed(unit: number): number {
  return unit > 0x7f_ff ? unit - 0x1_00_00 : unit
}
