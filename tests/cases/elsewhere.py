"""Cases that are proved among the tests of their part, with its processes and screens: number and names of tests."""

from collections.abc import Mapping

_CHILD = "tests/models/test_child_generation.py"
_CONTRACT = "tests/models/contract.py::ChatModelContract"
_DATABASE = "tests/memory/test_database.py"
_FAULTS = "tests/models/test_worker_faults.py::test_fault"
_INDEX = "tests/memory/test_vector_index.py"
_KILLS = "tests/memory/test_kills.py::test_nothing_acknowledged_is_lost"
_MCP = "tests/assistant/tools/mcp/test_connection.py"
_SALVAGE = "tests/memory/test_salvage.py"

ELSEWHERE: Mapping[str, str] = {
    "I05": "tests/ui/test_pty_life.py::test_a_paste_during_an_answer_stays_a_draft",
    "M16": f"{_FAULTS} tests/ui/test_app.py::test_a_model_that_dies_while_answering",
    "L06": f"{_CHILD}::test_control_tokens_never_become_text",
    "L13": f"{_CHILD}::test_characters_are_never_cut",
    "L15": f"{_CONTRACT}::test_a_user_goes_before_background_work",
    "L16": f"{_CONTRACT}::test_two_users_are_answered_one_after_the_other",
    "L20": "tests/models/test_child_constrained.py::test_json_is_compact_and_ends_with_its_last_bracket",
    "L21": "tests/models/test_child_process.py::test_a_damaged_file",
    "L23": "tests/ui/test_doctor.py::TestModel::test_too_little_memory_is_broken_and_little_free_memory_a_note",
    "L25": _FAULTS,
    "L26": _FAULTS,
    "L28": f"{_MCP}::test_the_loop_goes_on_while_a_server_floods "
    "tests/assistant/tools/mcp/test_pure.py::test_an_answer_is_data_cut_and_cleaned",
    "S01": f"{_SALVAGE}::test_what_is_there_is_saved_and_the_original_kept",
    "S03": f"{_SALVAGE}::test_the_text_of_every_saved_message_is_the_one_that_was_kept",
    "S05": "tests/ui/test_reminders_command.py::test_1000_at_once_from_4_processes_all_arrive",
    "S08": _KILLS,
    "S10": f"{_DATABASE}::test_a_damaged_database_is_said_to_be_so_and_left_alone "
    "tests/ui/test_sessions_command.py::test_a_damaged_history_is_not_shown_as_none",
    "S11": _KILLS,
    "S16": f"{_INDEX}::test_a_lost_index_costs_nothing_but_time",
    "S18": f"{_INDEX}::test_vectors_cut_off_in_a_large_index_are_noticed",
    "S20": "tests/ui/test_wiring.py::TestSecondProcess::test_it_says_who_holds_the_home_and_exits_3",
    "S21": "tests/memory/test_index_process.py::test_this_process_does_not_import_chroma",
    "S23": "tests/memory/test_migration_kills.py::test_a_newer_database_is_refused_without_a_write",
    "S26": "tests/ui/test_data_commands.py::test_repair_offers_what_can_be_had_and_keeps_the_original",
    "S28": f"{_INDEX}::test_a_lost_index_costs_nothing_but_time",
    "S30": "tests/ui/test_data_commands.py::test_nothing_is_readable_by_others_with_an_open_umask",
    "S31": f"{_DATABASE}::test_every_file_of_the_database_is_private",
    "A11": f"{_MCP}::test_a_server_that_does_not_start_well",
    "A13": f"{_MCP}::test_a_server_gets_no_terminal",
    "A15": f"{_MCP}::test_the_result_counts_also_when_the_server_never_ends",
    "A20": "tests/ui/test_app.py::test_control_c_stops_too_and_twice_quits",
    "Z08": "tests/ui/test_offline.py::test_nothing_connects_anywhere",
    "Z10": "tests/ui/test_wiring.py::TestOwning::test_everything_is_private_whatever_the_umask",
}
