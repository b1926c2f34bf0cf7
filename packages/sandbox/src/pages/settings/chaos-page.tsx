import {
  answeringFaults,
  type Chaos,
  type ChaosPreset,
  presetNames,
  presetOf,
  sendingFaults,
} from '../../platform/chaos-settings.ts'
import { ButtonForm, Field, PostForm } from '../form.tsx'
import { Layout } from '../sandbox-layout.tsx'

const address = '/_sandbox/pages/chaos'

/** Chances of faults. */
export function ChaosPage({ chaos }: { chaos: Chaos }) {
  const active = presetOf(chaos)
  return (
    <Layout title="Chaos" at={address}>
      <p>Chances of faults in deliveries and answers, from 0 (never) to 1 (always).</p>
      <h2>Presets</h2>
      <p>
        Now: <strong>{active === undefined ? 'chances of your own' : presetLabels[active]}</strong>
      </p>
      <div class="actions">
        {presetNames.map((preset) => (
          <ButtonForm
            key={preset}
            action={`${address}/preset`}
            fields={{ preset }}
            label={`Preset ${presetLabels[preset]}`}
          >
            {presetLabels[preset]}
          </ButtonForm>
        ))}
      </div>
      <h2>Single chances</h2>
      <PostForm action={address} label="Single chances" class="">
        <fieldset>
          <legend>Deliveries</legend>
          <div class="dials">
            {sendingFaults.map((fault) => (
              <Dial key={fault} of="sending" fault={fault} chance={chaos.sending[fault]} />
            ))}
          </div>
        </fieldset>
        <fieldset>
          <legend>Answers</legend>
          <div class="dials">
            {answeringFaults.map((fault) => (
              <Dial key={fault} of="answering" fault={fault} chance={chaos.answering[fault]} />
            ))}
          </div>
        </fieldset>
        <button type="submit" class="act">
          Save
        </button>
      </PostForm>
    </Layout>
  )
}

/** Names of the presets, as the command line takes them, with their side. */
const presetLabels: Record<ChaosPreset, string> = {
  off: 'off',
  light: 'light',
  heavy: 'heavy',
  sending: 'sending (deliveries only)',
  answering: 'answering (answers only)',
}

function Dial({ of, fault, chance }: { of: keyof Chaos; fault: string; chance: number }) {
  return (
    <Field
      name={`${of}.${fault}`}
      label={fault.replaceAll('_', ' ')}
      type="number"
      min={0}
      max={1}
      step="any"
      value={chance}
    />
  )
}
