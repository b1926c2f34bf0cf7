import { Fhir } from 'fhir'
import { describe, expect, it } from 'vitest'
import { benefitVerificationNarrative } from '../../src/connectors/ehr/narrative/benefit-verification-narrative.ts'
import type { Narrative } from '../../src/connectors/ehr/narrative/narrative.ts'
import { priorAuthorizationNarrative } from '../../src/connectors/ehr/narrative/prior-authorization-narrative.ts'
import { renderText } from '../../src/connectors/ehr/narrative/render-text.ts'
import { renderXhtml } from '../../src/connectors/ehr/narrative/render-xhtml.ts'
import { fullBenefitVerification, fullPriorAuthorization } from '../support/full-samples.ts'

/** Reads XML strictly: throws on whatever is not well-formed. */
function parseXml(xhtml: string): void {
  const root = xhtml.replace(/^<\?xml[^>]*\?>\s*<!DOCTYPE html>/, '')
  new Fhir().xmlToObj(`<Basic xmlns="http://hl7.org/fhir"><text><status value="generated"/>${root}</text></Basic>`)
}

describe('a narrative', () => {
  const hostile = `<script>alert("1")</script> & 'quotes' \u0000\u0008\uFFFE ]]> \uD800`
  const narrative: Narrative = {
    title: hostile,
    lead: hostile,
    sections: [
      { heading: hostile, rows: [[hostile, `${hostile}\nsecond line`]] },
      { heading: 'Words', paragraphs: [hostile, 'Grüße 😀'] },
    ],
  }

  it('is escaped in XHTML, which is well-formed whatever it says', () => {
    const xhtml = renderXhtml(narrative)
    expect(xhtml).not.toContain('<script')
    expect(xhtml).toContain('&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt; &amp; &#39;quotes&#39;')
    expect(xhtml).toContain('Grüße 😀')
    expect(xhtml).not.toMatch(/[\0\b\uFFFE]/)
    expect(() => parseXml(xhtml)).not.toThrow()
    expect(() => parseXml(xhtml.replace('</h1>', ''))).toThrow(/./)
  })

  it('of the samples is well-formed and fetches nothing', () => {
    for (const sample of [
      priorAuthorizationNarrative(fullPriorAuthorization()),
      benefitVerificationNarrative(fullBenefitVerification()),
    ]) {
      const xhtml = renderXhtml(sample)
      expect(() => parseXml(xhtml)).not.toThrow()
      expect(xhtml).not.toMatch(/\b(src|href|url)\s*[=(]|@import/)
    }
  })

  it('keeps its words in plain text, without control characters', () => {
    const plain = renderText(narrative)
    expect(plain).toContain(`<script>alert("1")</script> & 'quotes'`)
    expect(plain).not.toMatch(/[\0\b\uFFFE]/)
  })
})
