-- A comment with its slot, its counters and its idempotency key, in one round trip. Each statement in here sees what was
-- committed before it: a voice that was shut out while this waited for the counters has no comment. Returns the number of
-- the comment. Null, and nothing is written, where the vent, the voices that it is closed to or the slot are not what the
-- caller has read. `speakers` and `results` have a block for each number from `first_no` on.
create function content.add_comment(
  of_vent bigint, first_no integer, known_shut_outs bytea[], voice text, speakers bytea, slot_key bytea, body text,
  said_on date, own_weight integer, most_answers integer, is_answer boolean, taken_key bytea, key bytea, sent_on date,
  results bytea
) returns integer language plpgsql as $$
#variable_conflict use_column
declare
  new_no integer;
  at integer;
begin
  perform from content.vents where id = of_vent and state = 'visible' for key share;
  if not found then
    return null;
  end if;
  select last_no + 1 into new_no from content.vent_stats where vent_id = of_vent and allow_comments for no key update;
  at := (new_no - first_no) * 16;
  if at is null or at >= octet_length(speakers)
      or exists (select from content.shut_outs where vent_id = of_vent and voice_key <> all (known_shut_outs)) then
    return null;
  end if;
  -- The last lock: nobody who holds this slot waits for the counters.
  insert into content.taken_slots (taken_key) values (add_comment.taken_key) on conflict do nothing;
  if not found then
    return null;
  end if;
  update content.vent_stats as stats
     set comments = comments + 1, last_no = new_no, own_weight = stats.own_weight + add_comment.own_weight,
         answers = least(most_answers, answers + is_answer::integer)
   where vent_id = of_vent;
  insert into content.comments (vent_id, no, voice, speaker, slot_key, body, said_on)
  values (of_vent, new_no, add_comment.voice, substring(speakers from at + 1 for 16), add_comment.slot_key,
          add_comment.body, add_comment.said_on);
  if add_comment.key is not null then
    insert into content.idempotency (key, sent_on, result)
    values (add_comment.key, add_comment.sent_on, substring(results from at + 1 for 16));
  end if;
  return new_no;
end $$;
