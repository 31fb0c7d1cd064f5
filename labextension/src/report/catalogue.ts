// Written by typescript/build.py from service_nb/evidence/catalogue.json.
export const CATALOGUE = {
  "statuses": {
    "verified": {
      "word": "Verified",
      "sign": "✓",
      "means": "A key that you trust signed the card, and everything that it shows was compared with what was signed."
    },
    "unaltered": {
      "word": "Unaltered",
      "sign": "○",
      "means": "Everything that the card shows was compared with what was signed, by a key that you have not trusted."
    },
    "consistent": {
      "word": "Consistent, unsigned",
      "sign": "○",
      "means": "Everything that the card shows agrees with its hashes. It is not signed, so anyone can have made it."
    },
    "not_checkable": {
      "word": "Not checkable here",
      "sign": "?",
      "means": "A part that decides is not kept here or not known here."
    },
    "altered": {
      "word": "Altered",
      "sign": "✗",
      "means": "Something that is shown, hashed or signed contradicts something else."
    }
  },
  "signers": {
    "you": "Signed by you",
    "trusted": "Signed by a key that you trust",
    "unknown": "Signed by an unknown key",
    "nobody": "Not signed"
  },
  "checks": {
    "form": "The document has one meaning for every reader, and exactly the form of what it says it is.",
    "plan_hash": "The plan is the one that was hashed.",
    "result_hash": "The result is the one recorded with this plan. Only a replay recomputes it.",
    "schema_revision": "The plan is for the schema that the card names.",
    "provenance_hash": "How the outcome came about is as it was recorded.",
    "refusal_hash": "The refused question, and the codes, slots and candidates of its refusal, are as they were recorded.",
    "error_hash": "The error is as it was recorded.",
    "input_hash": "The arguments are those recorded with the call.",
    "invocation_hash": "The call is the one that was hashed.",
    "computation_hash": "The value is the one recorded with this call. Only a replay recomputes it.",
    "contract_hash": "The call is under the contract that the card names.",
    "definition_hash": "The definition of the capability is the one that was hashed.",
    "replay_hash": "The report of the replay is as it was recorded.",
    "view_hash": "What is shown beside the rows is what was hashed when the card was made.",
    "rows_hash": "The rows that are shown are those that were hashed when the card was made.",
    "kind": "The card shows an outcome of the kind that it states.",
    "shown": "Everything that is shown follows from what was hashed.",
    "capability": "The capability is in the contract that the card names, and arguments and value fit it.",
    "signature": "The owner of the key signed these hashes.",
    "signer": "The key is yours, or one that you trust.",
    "statement": "What was signed is about this card and no other.",
    "inclusion": "The entry is in the ledger, at its place.",
    "checkpoint": "The owner of the key signed the state of the ledger.",
    "contract": "The contract of capabilities is one that is known here.",
    "faces": "The other forms of this output (HTML, Markdown, LaTeX, text) show what the card shows.",
    "cell": "The cell has the source that gave this result.",
    "ledger": "The ledger that was given has this entry, and continues the state that the receipt saw.",
    "entry": "Each entry is a signed statement about a result.",
    "order": "No two entries have the same id.",
    "texts": "Each stored text has its hash, and belongs to an entry.",
    "root": "The entries give the root that the checkpoint states.",
    "remembered": "The ledger continues the state in which this machine saw it last.",
    "cards": "The notebook has the cards that were sealed, in their order."
  },
  "causes": {
    "malformed_json": {
      "means": "The document is not JSON that all readers read alike: syntax, encoding, a key twice, or not a number.",
      "remedy": "Save it again from Jupyter, or get it from its author again."
    },
    "too_large": {
      "means": "The document is larger than a verifier reads: 1 MB for a card, 32 MB for a notebook or a ledger document.",
      "remedy": "Verify the ledger in its folder, or remove rows from the notebook with `service-nb strip`."
    },
    "too_deep": {
      "means": "Objects and lists are nested deeper than 64.",
      "remedy": "Get it from its author again."
    },
    "unsafe_number": {
      "means": "A number is larger than every reader keeps exactly, so readers would see different values.",
      "remedy": "Cards hold such values as text. Get it from its author again."
    },
    "malformed_card": {
      "means": "Malformed card: a key, a type or a digest is wrong.",
      "remedy": "Get the document from its author again, or ask the question anew. Do not use the figure."
    },
    "unknown_version": {
      "means": "The card has a version that is not known here.",
      "remedy": "Update service-nb. If no newer version knows it, the document was altered."
    },
    "unknown_kind": {
      "means": "The card has a kind that is not known here.",
      "remedy": "Update service-nb. If no newer version knows it, the document was altered."
    },
    "unknown_document": {
      "means": "The document is not a notebook, a card or a ledger document.",
      "remedy": "Give a .ipynb file, a card or a ledger as JSON, or the folder of a ledger."
    },
    "no_cards": {
      "means": "The notebook has no card, so there is nothing to verify.",
      "remedy": "Run it with service_nb and save it. If it had cards, its outputs were cleared."
    },
    "malformed_ledger": {
      "means": "Malformed ledger document.",
      "remedy": "Export the ledger again."
    },
    "malformed_notebook": {
      "means": "Malformed notebook.",
      "remedy": "Save it again from Jupyter, or get it from its author again."
    },
    "notebook_form": {
      "means": "The notebook has a form that viewers do not read alike, so what it shows cannot be told.",
      "remedy": "Open it in Jupyter and save it again as nbformat 4."
    },
    "card_not_shown": {
      "means": "A card is kept where no viewer shows it.",
      "remedy": "Do not believe what stands in its place. Get the document from its author again."
    },
    "plan_hash_mismatch": {
      "means": "The plan was changed: its content does not match its hash.",
      "remedy": "Get the document from its author again, or ask the question anew. Do not use the figure."
    },
    "result_hash_mismatch": {
      "means": "The result is not the one recorded with this plan: different content.",
      "remedy": "Replay it to recompute the value from its source: `service-nb replay FILE`."
    },
    "schema_revision_mismatch": {
      "means": "The plan is for another schema than the card states.",
      "remedy": "Get the document from its author again, or ask the question anew. Do not use the figure."
    },
    "provenance_hash_mismatch": {
      "means": "The record of how the outcome came about was changed: different content.",
      "remedy": "Get the document from its author again, or ask the question anew. Do not use the figure."
    },
    "refusal_hash_mismatch": {
      "means": "The refused question or its reason was changed.",
      "remedy": "Get the document from its author again, or ask the question anew. Do not use the figure."
    },
    "error_hash_mismatch": {
      "means": "The error was changed: different content.",
      "remedy": "Get the document from its author again, or ask the question anew. Do not use the figure."
    },
    "input_hash_mismatch": {
      "means": "The arguments were changed: different content.",
      "remedy": "Get the document from its author again, or ask the question anew. Do not use the figure."
    },
    "invocation_hash_mismatch": {
      "means": "The call was changed: different content.",
      "remedy": "Get the document from its author again, or ask the question anew. Do not use the figure."
    },
    "computation_hash_mismatch": {
      "means": "The value is not the one recorded with this call: different content.",
      "remedy": "Replay it to recompute the value from its source: `service-nb replay FILE`."
    },
    "contract_hash_mismatch": {
      "means": "The call names another contract than the card.",
      "remedy": "Get the document from its author again, or ask the question anew. Do not use the figure."
    },
    "definition_hash_mismatch": {
      "means": "The definition of the capability was changed: different content.",
      "remedy": "Get the document from its author again, or ask the question anew. Do not use the figure."
    },
    "replay_hash_mismatch": {
      "means": "The report of the replay was changed: different content.",
      "remedy": "Replay it to recompute the value from its source: `service-nb replay FILE`."
    },
    "view_hash_mismatch": {
      "means": "What the card shows beside its rows was changed after it was made.",
      "remedy": "Do not believe what it shows. Get the card from the ledger that it came from: `service-nb show ID --card`."
    },
    "rows_hash_mismatch": {
      "means": "The rows that the card shows were changed after it was made.",
      "remedy": "Do not believe these rows. Get the card from the ledger that it came from: `service-nb show ID --card`."
    },
    "rows_not_kept": {
      "means": "The rows were removed from the card. Only their hash is left.",
      "remedy": "Get the card from the ledger that it came from: `service-nb show ID --card`."
    },
    "text_not_kept": {
      "means": "The card has the hash and not the text, so the hash cannot be recomputed here. Nothing that is shown depends on it.",
      "remedy": "Replay it, or get the text from the ledger: `service-nb show ID`."
    },
    "kind_contradicted": {
      "means": "The card shows another outcome than the kind that it states.",
      "remedy": "Get the document from its author again, or ask the question anew. Do not use the figure."
    },
    "shown_differs": {
      "means": "The card shows something that does not follow from what was hashed.",
      "remedy": "Do not believe what it shows. Get the card from the ledger that it came from: `service-nb show ID --card`."
    },
    "shown_not_kept": {
      "means": "The card does not keep all that it shows rows of, so what is shown cannot be compared.",
      "remedy": "Replay it to recompute the value from its source: `service-nb replay FILE`. Get the card from the ledger that it came from: `service-nb show ID --card`."
    },
    "older_form": {
      "means": "An earlier version of service-nb made the card, which hashed calls and refusals in another form, so it cannot be compared here.",
      "remedy": "Run the cell again: the new card can be verified. Or replay it: `service-nb replay FILE`."
    },
    "capability_not_in_contract": {
      "means": "The contract that the card names has no such capability.",
      "remedy": "Do not use the figure. Search the contract: `service-nb search WORDS`."
    },
    "call_misfit": {
      "means": "The call, its arguments or its value do not fit the capability.",
      "remedy": "Get the document from its author again, or ask the question anew. Do not use the figure."
    },
    "unsigned": {
      "means": "Not signed, so anyone can have made it.",
      "remedy": "Log in with `service-nb login`. What is made from then on is signed."
    },
    "receipt_missing": {
      "means": "A signature was required, and there is none. The receipt may have been removed.",
      "remedy": "Ask its author for the signed card, or verify without requiring a signature."
    },
    "receipt_malformed": {
      "means": "Malformed receipt.",
      "remedy": "Get the card from the ledger that it came from: `service-nb show ID --card`."
    },
    "signature_invalid": {
      "means": "The key did not sign this: the statement or the signature was changed.",
      "remedy": "Get the document from its author again, or ask the question anew. Do not use the figure."
    },
    "unknown_signer": {
      "means": "Signer not confirmed: the key is not among those that you trust.",
      "remedy": "Compare the fingerprint with its owner by another way than this document, then run `service-nb key trust KEY`."
    },
    "key_unknown": {
      "means": "The envelope names a key that is not known here, so its signature cannot be checked.",
      "remedy": "Give the key of whoever signed it: `--key KEY`."
    },
    "statement_malformed": {
      "means": "What was signed is not a statement about a result.",
      "remedy": "Get the card from the ledger that it came from: `service-nb show ID --card`."
    },
    "receipt_of_another_card": {
      "means": "The receipt is genuine and belongs to another card.",
      "remedy": "Get the card from the ledger that it came from: `service-nb show ID --card`."
    },
    "inclusion_invalid": {
      "means": "The proof does not lead from this entry to the root of its ledger.",
      "remedy": "Get the card from the ledger that it came from: `service-nb show ID --card`."
    },
    "checkpoint_malformed": {
      "means": "Malformed checkpoint of the ledger.",
      "remedy": "Get the card from the ledger that it came from: `service-nb show ID --card`."
    },
    "checkpoint_invalid": {
      "means": "The key did not sign the checkpoint of the ledger.",
      "remedy": "Get the card from the ledger that it came from: `service-nb show ID --card`."
    },
    "contract_unknown": {
      "means": "It was computed under a contract of capabilities that is not known here.",
      "remedy": "Install the version of service-nb that its author had, or replay it under this one."
    },
    "no_known_contracts": {
      "means": "No contract was given to compare with.",
      "remedy": "Verify where service-nb is installed, or give the hash of the contract with `--contract`."
    },
    "face_differs": {
      "means": "Another form of this output (HTML, Markdown, LaTeX, text or JSON) does not show what the card shows.",
      "remedy": "Read only the card. Run the cell again to write all forms anew."
    },
    "face_of_another_version": {
      "means": "The other forms of this output were written by another version, so they cannot be compared here.",
      "remedy": "Read only the card, or verify with the version that the output names."
    },
    "faces_not_compared": {
      "means": "The other forms of the outputs (HTML, Markdown, LaTeX, text) are not compared by this program.",
      "remedy": "Read only the cards, or run `service-nb verify`."
    },
    "cell_edited": {
      "means": "The cell was edited since this result.",
      "remedy": "Run the cell again, or restore its source."
    },
    "card_of_another_cell": {
      "means": "Another cell gave this result than the one that it stands below.",
      "remedy": "Read it with the cell that is named, or ask in the cell that shows it."
    },
    "in_widget": {
      "means": "A widget holds the card, and its layout and the viewer decide whether it is shown.",
      "remedy": "Show the result in the output of a cell."
    },
    "not_a_ledger": {
      "means": "The database is not a ledger.",
      "remedy": "Give the folder `.service` of a project."
    },
    "damaged": {
      "means": "The database of the ledger cannot be read to its end.",
      "remedy": "Restore the ledger from a copy."
    },
    "too_new": {
      "means": "A newer version wrote the ledger.",
      "remedy": "Update service-nb."
    },
    "entry_missing": {
      "means": "An entry of the ledger is missing.",
      "remedy": "Restore the ledger from a copy."
    },
    "entry_added": {
      "means": "The ledger has an entry that its checkpoint does not know.",
      "remedy": "Restore the ledger from a copy."
    },
    "entry_replaced": {
      "means": "An entry is not the one that was appended at its place.",
      "remedy": "Restore the ledger from a copy."
    },
    "node_mismatch": {
      "means": "The stored tree is not the one that the entries give.",
      "remedy": "Restore the ledger from a copy."
    },
    "entry_malformed": {
      "means": "An entry of the ledger is not a statement about a result.",
      "remedy": "Restore the ledger from a copy."
    },
    "duplicate_id": {
      "means": "Two entries of the ledger have the same id.",
      "remedy": "Restore the ledger from a copy."
    },
    "text_mismatch": {
      "means": "A stored text has different content than the hash under which it is kept.",
      "remedy": "Restore the ledger from a copy."
    },
    "text_unknown": {
      "means": "A stored text belongs to no entry.",
      "remedy": "Export the ledger again from where it was made."
    },
    "text_missing": {
      "means": "A text of an entry is not in the ledger.",
      "remedy": "Restore the ledger from a copy."
    },
    "root_mismatch": {
      "means": "The entries do not give the root that the checkpoint states: one was changed, added, removed or moved.",
      "remedy": "Restore the ledger from a copy. Receipts that were given out show what it held."
    },
    "rolled_back": {
      "means": "The ledger is shorter than, or another than, the one that this receipt or this machine has seen.",
      "remedy": "Restore the newest copy. What was recorded since then is missing from this one."
    },
    "entry_not_in_ledger": {
      "means": "The ledger has no such entry where the receipt says it is.",
      "remedy": "Verify against the ledger that the card came from. If this is it, one of the two was altered."
    },
    "index_malformed": {
      "means": "Malformed seal of the notebook.",
      "remedy": "Seal it again: `service-nb seal FILE`."
    },
    "not_sealed": {
      "means": "Order and completeness are not sealed: cards may have been removed, repeated or moved.",
      "remedy": "Seal it: `service-nb seal FILE`."
    },
    "card_repeated": {
      "means": "The card stands in the notebook twice. Order and completeness are not sealed.",
      "remedy": "Read it as one result. To seal it as it is: `service-nb seal FILE`."
    },
    "card_out_of_order": {
      "means": "The card was recorded before one that stands above it. Order and completeness are not sealed.",
      "remedy": "Run the cells again from the first to the last. To seal it as it is: `service-nb seal FILE`."
    },
    "seal_missing": {
      "means": "Not sealed: removed cards cannot be detected.",
      "remedy": "Seal it: `service-nb seal FILE`."
    },
    "card_missing": {
      "means": "A card that was there is gone.",
      "remedy": "Get the document from its author again, or ask the question anew. Do not use the figure."
    },
    "card_added": {
      "means": "A card was added after the notebook was sealed.",
      "remedy": "Seal it again if you added it: `service-nb seal FILE`."
    },
    "card_replaced": {
      "means": "A card is not the one that was sealed or recorded at its place.",
      "remedy": "Get the document from its author again, or ask the question anew. Do not use the figure."
    },
    "card_moved": {
      "means": "The cards are the sealed ones, in another order.",
      "remedy": "Seal it again if you moved them: `service-nb seal FILE`."
    }
  }
} as const;
