{% macro staging_columns() %}
    {% do return([
        {"name": "_dms_op", "data_type": "string", "description": "I, U or D: what happened to the row."},
        {
            "name": "_dms_committed_at",
            "data_type": "timestamp",
            "description": "When the source committed the change, in UTC; NULL without timestamp_column.",
        },
        {
            "name": "_dms_change_seq",
            "data_type": "string",
            "description": "Change sequence of DMS; NULL without change_seq_column and in full loads.",
        },
        {
            "name": "_dms_generation",
            "data_type": "int",
            "description": "Which full load the change belongs to, from 1.",
        },
        {"name": "_dms_is_load", "data_type": "boolean", "description": "Whether the row comes from a full load."},
        {
            "name": "_dms_file_seq",
            "data_type": "bigint",
            "description": "Place of the file among the files of its generation.",
        },
        {"name": "_dms_row", "data_type": "bigint", "description": "Row number in the file, from 1."},
        {
            "name": "_dms_is_key_change",
            "data_type": "boolean",
            "description":
                "Whether the row is a part of a change of the key: the delete of the old key or the update that "
                ~ "wrote the new one.",
        },
        {
            "name": "_dms_absent",
            "data_type": "array<string>",
            "description": "Columns that the update does not carry and that keep their value; NULL for none.",
        },
        {"name": "_dms_run_date", "data_type": "date", "description": "The run that took the change."},
    ]) %}
{% endmacro %}
