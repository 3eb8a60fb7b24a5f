/** `?`: the keys of the page. */
import { Dialog } from "../parts/dialog.tsx";

const keys: readonly (readonly [string, string])[] = [
  ["/", "search"],
  ["j  k", "next, previous event"],
  ["Page Down  Page Up", "the same, from the event that has the focus"],
  ["Enter", "open"],
  ["←  →", "fold, unfold"],
  ["[  ]", "one event back, forth"],
  ["{  }", "one turn back, forth"],
  ["f", "follow the end"],
  ["1 – 6", "tabs"],
  ["Ctrl+Enter", "send"],
  ["Ctrl+.", "stop"],
  ["a  d", "approve, deny, on a card that has the focus"],
  ["?", "this list"],
];

export const Help = ({ onClose }: { readonly onClose: () => void }) => (
  <Dialog title="Keys" onClose={onClose}>
    <table class="facts">
      <tbody>
        {keys.map(([key, does]) => (
          <tr key={key}>
            <th scope="row">
              <kbd>{key}</kbd>
            </th>
            <td>{does}</td>
          </tr>
        ))}
      </tbody>
    </table>
    <p class="soft small">Keys of one character can be switched off in the settings.</p>
  </Dialog>
);
